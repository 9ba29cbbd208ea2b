// SPDX-License-Identifier: Apache-2.0
//
// A packet network that does not simulate again what it has simulated before.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "orrery/network/packet_skipping/traffic_patterns.h"

namespace orrery::model {

/// Packet events of a run with skipping.
struct SkippedEvents {
  std::uint64_t simulated = 0;  ///< events that were simulated
  std::uint64_t all = 0;        ///< events of the same run without skipping
};

/// Why messages with these settings are always simulated packet by packet, as a part of a sentence.
/// Empty: they need not be.
[[nodiscard]] std::string why_not_skipped(const platform::PacketSettings& settings, bool sprays,
                                          bool may_fail);

/// Sends messages with the same results as PacketEngine. Messages whose routes share a link, or one
/// after another a chain of links, form a group until nothing of them is in flight. Groups do not
/// affect each other, so that each is a pattern of its own: its times are relative to its first
/// message. Two groups that a new message joins become one.
class PacketSkipper {
 public:
  using Report = PacketEngine::Report;
  static constexpr std::int64_t kNever = SteadyEngine::kNever;

  /// why_not_skipped() is empty.
  PacketSkipper(const platform::PacketSettings& settings, std::vector<PacketLink> links,
                std::shared_ptr<PacketRouter> router, std::optional<std::int64_t> usual_window);
  /// A copy that continues from the current state, without the patterns of the past.
  PacketSkipper(const PacketSkipper& other);
  PacketSkipper& operator=(const PacketSkipper&) = delete;
  ~PacketSkipper() = default;

  /// The following messages are posted together, after all events until now.
  void begin_posts() { ++calls_; }
  /// Sends a message at `now`, after run().
  void post(const PacketPost& message, std::int64_t now);
  /// Reports all arrivals until `until`, which is at most next_arrival().
  void run(std::int64_t until, Report& report);
  /// No message arrives before, unless one is posted. Amortized O(log groups).
  [[nodiscard]] std::int64_t next_arrival();
  [[nodiscard]] std::uint64_t undelivered() const { return undelivered_; }
  void report_links(bool on) { reports_links_ = on; }
  /// Completes the groups that are in flight, without their arrivals.
  [[nodiscard]] SkippedEvents count_events();
  /// The engines of messages that have not arrived.
  [[nodiscard]] std::vector<const PacketEngine*> stalled() const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostPatterns = 1'000'000;  // before they are forgotten

  struct Pair {
    std::vector<std::uint32_t> forth, back;  // links
    std::vector<std::uint32_t> shared;       // links and nodes that only one group may use
  };
  struct Sent {
    std::int64_t at = 0;
    std::uint64_t call = 0, order = 0;
    PacketPost message;
    bool has_arrived = false;
  };
  struct Group {
    std::shared_ptr<TrafficPatterns> patterns;
    Pattern* pattern = nullptr;
    std::int64_t begin = 0;
    std::vector<Sent> sent;
    std::size_t reported = 0;  // arrivals of the pattern
    std::uint32_t undelivered = 0;
    std::uint64_t version = 0;
    std::vector<std::uint32_t> shared;
    // By number in the network: numbers in the pattern.
    std::unordered_map<std::uint32_t, std::uint32_t> links, nodes, ends;
    std::unordered_set<std::uint64_t> pairs;  // whose routes the pattern has
  };
  struct Due {
    std::int64_t at = 0;
    std::uint32_t group = 0;
    std::uint64_t version = 0;
    friend bool operator>(const Due& a, const Due& b) { return a.at > b.at; }
  };

  [[nodiscard]] const Pair& pair_of(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] std::uint32_t begin_group(std::int64_t now);
  [[nodiscard]] std::uint32_t group_for(const Pair& pair, std::int64_t now);
  [[nodiscard]] bool is_over(Group& group, std::int64_t now) const;
  void end_group(std::uint32_t number);
  [[nodiscard]] std::uint32_t join_groups(const std::vector<std::uint32_t>& numbers,
                                          std::int64_t now);
  void add_message(std::uint32_t number, const Sent& sent, bool is_now);
  [[nodiscard]] PatternPost describe(Group& group, const Sent& sent);
  void add_routes(Group& group, const Pair& pair, PatternPost& post) const;
  void add_link(Group& group, std::uint32_t link, std::vector<std::uint32_t>& route,
                PatternPost& post) const;
  [[nodiscard]] PacketLink renamed(Group& group, std::uint32_t link,
                                   std::vector<std::uint64_t>& key) const;
  void schedule(std::uint32_t number);
  void deliver(Group& group, std::int64_t until, Report& report);
  [[nodiscard]] std::shared_ptr<TrafficPatterns> new_patterns() const;

  platform::PacketSettings settings_;
  std::vector<PacketLink> links_;
  std::shared_ptr<PacketRouter> router_;
  std::optional<std::int64_t> usual_window_;
  bool pauses_, shares_buffers_, samples_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::shared_ptr<std::uint64_t> simulated_ = std::make_shared<std::uint64_t>();
  std::shared_ptr<TrafficPatterns> patterns_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> unused_groups_;
  std::vector<std::uint32_t> group_of_;  // by link, then by node
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t calls_ = 0, posts_ = 0;
  std::uint64_t undelivered_ = 0;
  std::uint64_t events_ = 0;  // of groups that are over
  bool reports_links_ = false;
};

}  // namespace orrery::model
