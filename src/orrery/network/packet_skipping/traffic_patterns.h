// SPDX-License-Identifier: Apache-2.0
//
// Contention patterns and their results.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/network/packet_skipping/steady_engine.h"

namespace orrery::model {

/// A link that a pattern uses first with this connection, and the link in the other direction if
/// pauses may use it.
struct PatternLink {
  PacketLink link;
  std::optional<PacketLink> back;
};

/// The routes of a connection that a pattern uses first, as numbers of links in the order of their
/// use.
struct PatternRoutes {
  std::vector<PatternLink> links;
  std::vector<std::uint32_t> forth, back;
};

/// One message of a pattern. Ends, links and nodes are numbered in the order of their use, so that
/// patterns on different, equal links are equal.
struct PatternPost {
  std::int64_t at = 0;             ///< since the first message
  bool is_together = false;        ///< posted in one call with the message before
  PacketPost message;              ///< its token: its number in the pattern
  PatternRoutes routes;            ///< of a new connection; else empty
  std::vector<std::uint64_t> key;  ///< all of the above: equal keys mean equal messages
};

/// The messages of a pattern up to one message, and what follows until the next one is posted.
struct Pattern {
  struct Arrival {
    std::int64_t at = 0;
    std::uint32_t message = 0;
  };
  Pattern* before = nullptr;  ///< without the last message; null: without messages
  std::uint64_t number = 0;
  PatternPost post;
  std::vector<Arrival> arrivals;  ///< from `post.at` until `known_until`, in order
  std::int64_t known_until = 0;
  std::optional<std::int64_t> quiet_at;  ///< from then on, nothing is in flight
  std::uint64_t events = 0;              ///< of all its packets until `quiet_at`
  std::unique_ptr<SteadyEngine> engine;  ///< at `known_until`, unless a longer pattern has it
};

/// Stores patterns. A pattern is simulated when its results are needed for the first time. Its
/// engine continues with the first longer pattern; if another one follows, its messages are
/// simulated again from the first one on.
class TrafficPatterns {
 public:
  static constexpr std::int64_t kNever = SteadyEngine::kNever;

  /// Adds the packet events that it simulates to `simulated`.
  TrafficPatterns(const platform::PacketSettings& settings,
                  std::optional<std::int64_t> usual_window,
                  std::shared_ptr<std::uint64_t> simulated)
      : settings_(settings), usual_window_(usual_window), simulated_(std::move(simulated)) {
    patterns_.emplace_back();
  }
  TrafficPatterns(const TrafficPatterns&) = delete;
  TrafficPatterns& operator=(const TrafficPatterns&) = delete;
  ~TrafficPatterns() = default;

  /// The pattern without messages.
  [[nodiscard]] Pattern& none() { return patterns_.front(); }
  /// The pattern with one message more. `is_now`: its results until then are complete, so that its
  /// simulation may begin.
  [[nodiscard]] Pattern& add(Pattern& pattern, PatternPost post, bool is_now);
  /// Makes the arrivals until `until` known, or until it is quiet.
  void learn(Pattern& pattern, std::int64_t until);
  /// No message that is not in `arrivals` arrives before.
  [[nodiscard]] std::int64_t next_arrival(const Pattern& pattern) const;
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

 private:
  [[nodiscard]] std::unique_ptr<SteadyEngine> simulate_again(const Pattern& pattern,
                                                             std::int64_t until);
  void post(SteadyEngine& engine, const PatternPost& post);
  void run(SteadyEngine& engine, std::int64_t until, PacketEngine::Report& report);

  platform::PacketSettings settings_;
  std::optional<std::int64_t> usual_window_;
  std::deque<Pattern> patterns_;
  std::unordered_multimap<std::uint64_t, Pattern*> longer_;  // by hash of a pattern and a post
  std::shared_ptr<std::uint64_t> simulated_;
};

}  // namespace orrery::model
