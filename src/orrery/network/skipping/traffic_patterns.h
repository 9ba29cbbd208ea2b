// SPDX-License-Identifier: Apache-2.0
//
// Contention patterns and their results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/random.h"

namespace orrery::model {

[[nodiscard]] inline std::uint64_t pair_key(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}
/// The number of `name`, in the order of use.
inline std::uint32_t number_of(std::unordered_map<std::uint32_t, std::uint32_t>& numbers,
                               std::uint32_t name) {
  return numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
}

/// The arrival of a message: its number in the pattern, and the time since the begin.
struct PatternArrival {
  std::int64_t at = 0;
  std::uint32_t message = 0;
};

/// One message of a pattern. Ends and links are numbered in the order of their use, so that
/// patterns on different, equal links are equal.
struct PatternPost {
  std::int64_t at = 0;             ///< since the begin of the pattern
  bool is_together = false;        ///< posted in one call with the message before
  std::vector<std::uint64_t> key;  ///< equal keys mean equal messages
};

/// What has been simulated.
struct PatternWork {
  std::uint64_t events = 0;  ///< of engines
  std::uint64_t posts = 0;   ///< messages, each time
};

/// Stores patterns. A pattern is simulated when its results are needed for the first time. Its
/// engine continues with the first longer pattern; if another one follows, its messages are
/// simulated again from the first one on.
///
/// `Traffic` describes a network:
/// - `Post`: derived from PatternPost, with the message;
/// - `Names`: where a pattern is in the network;
/// - `Final`: what a pattern leaves for later ones in the same place;
/// - `Engine`: with `is_quiet()`, `quiet_since()`, `next_arrival()`, `events()` and `simulated()`;
/// - `new_engine(names)`, `fits(engine, post, names)`: whether an engine can continue with a
/// message;
/// - `post(engine, post, names)`, `run(engine, until, log)`: appends arrivals, unless `log` is
/// null;
/// - `final_of(engine)`: the state of a quiet engine.
template <class Traffic>
class TrafficPatterns {
 public:
  using Engine = typename Traffic::Engine;
  using Names = typename Traffic::Names;
  using Post = typename Traffic::Post;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// The messages of a pattern up to one message, and what follows until the next one is posted.
  struct Pattern {
    Pattern* before = nullptr;  ///< without the last message; null: without messages
    std::uint64_t number = 0;
    Post post;
    std::vector<PatternArrival> arrivals;  ///< from `post.at` until `known_until`, in order
    std::int64_t known_until = 0;
    std::optional<std::int64_t> quiet_at;  ///< from then on, nothing is in flight
    std::uint64_t events = 0;              ///< of all its messages until `quiet_at`
    typename Traffic::Final final;         ///< at `quiet_at`
    std::unique_ptr<Engine> engine;        ///< at `known_until`, unless a longer pattern has it
  };

  /// Adds what it simulates to `work`.
  explicit TrafficPatterns(std::shared_ptr<PatternWork> work) : work_(std::move(work)) {
    patterns_.emplace_back();
  }
  TrafficPatterns(const TrafficPatterns&) = delete;
  TrafficPatterns& operator=(const TrafficPatterns&) = delete;
  ~TrafficPatterns() = default;

  /// The pattern without messages.
  [[nodiscard]] Pattern& none() { return patterns_.front(); }
  /// The pattern with one message more, which `names` contains.
  [[nodiscard]] Pattern& add(Pattern& pattern, Post post, const Traffic& traffic,
                             const Names& names) {
    const std::uint64_t hash = hash_of(pattern, post.key);
    const auto [first, end] = longer_.equal_range(hash);
    for (auto one = first; one != end; ++one) {
      if (one->second->before == &pattern && one->second->post.key == post.key) return *one->second;
    }
    Pattern& made = patterns_.emplace_back();
    longer_.emplace(hash, &made);
    made.number = patterns_.size();
    made.before = &pattern;
    made.known_until = post.at;
    made.post = std::move(post);
    if (pattern.engine == nullptr || pattern.known_until > made.post.at ||
        !traffic.fits(*pattern.engine, made.post, names))
      return made;
    made.engine = std::move(pattern.engine);
    run(*made.engine, made.post.at, traffic, &pattern.arrivals);
    pattern.known_until = made.post.at;
    this->post(*made.engine, made.post, traffic, names);
    return made;
  }
  /// Makes the arrivals until `until` known, or until it is quiet.
  void learn(Pattern& pattern, std::int64_t until, const Traffic& traffic, const Names& names) {
    if (pattern.quiet_at || pattern.known_until >= until) return;
    if (pattern.engine == nullptr) pattern.engine = simulate_again(pattern, traffic, names);
    run(*pattern.engine, until, traffic, &pattern.arrivals);
    pattern.known_until = until;
    if (!pattern.engine->is_quiet()) return;
    pattern.quiet_at = pattern.engine->quiet_since();
    pattern.events = pattern.engine->events();
    pattern.final = traffic.final_of(*pattern.engine);
    pattern.engine.reset();
  }
  /// No message that is not in `arrivals` arrives before.
  [[nodiscard]] std::int64_t next_arrival(const Pattern& pattern) const {
    if (pattern.quiet_at) return kNever;
    const std::int64_t later = pattern.known_until + 1;
    if (pattern.engine == nullptr) return later;
    const std::int64_t bound = pattern.engine->next_arrival();
    return bound == kNever ? kNever : std::max(later, bound);
  }
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

 private:
  static std::uint64_t hash_of(const Pattern& pattern, const std::vector<std::uint64_t>& key) {
    std::uint64_t hash = mix_bits(pattern.number);
    for (const std::uint64_t word : key) hash = mix_bits(hash ^ word);
    return hash;
  }
  /// From the first message until `known_until`.
  [[nodiscard]] std::unique_ptr<Engine> simulate_again(const Pattern& pattern,
                                                       const Traffic& traffic, const Names& names) {
    std::unique_ptr<Engine> engine = traffic.new_engine(names);
    std::vector<const Pattern*> path;
    for (const Pattern* at = &pattern; at->before != nullptr; at = at->before) path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const Post& post = (*at)->post;
      if (!post.is_together) run(*engine, post.at, traffic, nullptr);
      this->post(*engine, post, traffic, names);
    }
    run(*engine, pattern.known_until, traffic, nullptr);
    return engine;
  }
  void run(Engine& engine, std::int64_t until, const Traffic& traffic,
           std::vector<PatternArrival>* log) {
    const std::uint64_t before = engine.simulated();
    traffic.run(engine, until, log);
    work_->events += engine.simulated() - before;
  }
  void post(Engine& engine, const Post& post, const Traffic& traffic, const Names& names) {
    traffic.post(engine, post, names);
    ++work_->posts;
  }

  std::deque<Pattern> patterns_;
  std::unordered_multimap<std::uint64_t, Pattern*> longer_;  // by hash of a pattern and a post
  std::shared_ptr<PatternWork> work_;
};

}  // namespace orrery::model
