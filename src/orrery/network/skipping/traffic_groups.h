// SPDX-License-Identifier: Apache-2.0
//
// Groups of messages that contend, which are not simulated again if an equal group was.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "orrery/network/skipping/traffic_patterns.h"

namespace orrery::model {

/// Events of a run with skipping.
struct SkippedEvents {
  std::uint64_t simulated = 0;  ///< events that were simulated
  std::uint64_t all = 0;        ///< events of the same run without skipping
};

/// Messages that share a part of the network, or one after another a chain of parts, form a group
/// until nothing of them is in flight. Groups do not affect each other, so that each is a pattern
/// of its own. Two groups that a new message joins become one.
///
/// `Traffic`, besides what TrafficPatterns needs, has
/// - `Message`, with `from`, `to`, `bytes` and `token`; `Report`, with `arrives` and `carries`;
/// - `pair_of(message)`: its links `forth`, and `shared`, the parts that only one group may use;
/// - `part_count()`; `begin_of(now)`: the begin of a group, at most `now`; `time_of(now)`: the time
///   of messages that are posted now, at least `now`, before anything else happens;
/// - `describe(names, pair, message)`: its PatternPost without times;
/// - `end(names, final)`: a group has left the network;
/// - `is_full()`: there is no memory for more groups that differ;
/// - `kMostPosts`: how often a message is simulated, on average, before all messages become one
///   group, which is as fast as without groups.
template <class Traffic>
class TrafficGroups {
 public:
  using Patterns = TrafficPatterns<Traffic>;
  using Pattern = typename Patterns::Pattern;
  using Message = typename Traffic::Message;
  using Report = typename Traffic::Report;
  static constexpr std::int64_t kNever = Patterns::kNever;

  explicit TrafficGroups(Traffic traffic)
      : traffic_(std::move(traffic)),
        patterns_(new_patterns()),
        group_of_(traffic_.part_count(), kNone) {}
  /// A copy that continues from the current state, without the patterns of the past.
  TrafficGroups(const TrafficGroups& other)
      : traffic_(other.traffic_),
        work_(std::make_shared<PatternWork>(*other.work_)),
        patterns_(new_patterns()),
        group_of_(traffic_.part_count(), kNone),
        calls_(other.calls_),
        posts_(other.posts_),
        undelivered_(other.undelivered_),
        events_(other.events_),
        reports_links_(other.reports_links_) {
    for (const Group& from : other.groups_) {
      if (from.pattern == nullptr) continue;
      const std::uint32_t made = begin_group(from.begin);
      for (const Sent& sent : from.sent) add_message(made, sent);
      schedule(made);
    }
  }
  TrafficGroups& operator=(const TrafficGroups&) = delete;
  ~TrafficGroups() = default;

  /// The following messages are posted together, after all events until now.
  void begin_posts() { ++calls_; }
  /// Sends a message at `now`, after run().
  void post(const Message& message, std::int64_t now) {
    const std::uint32_t group = group_for(traffic_.pair_of(message), now);
    ++undelivered_;
    add_message(group, {traffic_.time_of(now), now, calls_, ++posts_, message, false});
    schedule(group);
  }
  /// Reports all arrivals until `until`, which is at most next_arrival().
  void run(std::int64_t until, Report& report) {
    while (next_arrival() <= until) {
      const std::uint32_t number = due_.top().group;
      Group& group = groups_[number];
      learn(group, until - group.begin);
      deliver(group, until, report);
      schedule(number);
    }
  }
  /// No message arrives before, unless one is posted. Amortized O(log groups).
  [[nodiscard]] std::int64_t next_arrival() {
    while (!due_.empty() && due_.top().version != groups_[due_.top().group].version) due_.pop();
    return due_.empty() ? kNever : due_.top().at;
  }
  [[nodiscard]] std::uint64_t undelivered() const { return undelivered_; }
  void report_links(bool on) { reports_links_ = on; }
  /// Completes the groups that are in flight, without their arrivals.
  [[nodiscard]] SkippedEvents count_events() {
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].pattern == nullptr || groups_[i].undelivered > 0) continue;
      learn(groups_[i], kNever / 2);
      end_group(i);
    }
    return {.simulated = work_->events, .all = std::max(events_, work_->events)};
  }
  /// Calls `use(engine)` for the engines of messages that have not arrived.
  template <class Use>
  void for_stalled(const Use& use) const {
    for (const Group& group : groups_) {
      if (group.undelivered > 0 && group.pattern->engine != nullptr) use(*group.pattern->engine);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostPatterns = 1'000'000;  // before they are forgotten
  static constexpr std::uint64_t kSomePosts = 10'000;

  struct Sent {
    std::int64_t at = 0, sent = 0;  // of the pattern, and of the caller
    std::uint64_t call = 0, order = 0;
    Message message;
    bool has_arrived = false;
  };
  struct Group {
    std::shared_ptr<Patterns> patterns;
    Pattern* pattern = nullptr;
    std::int64_t begin = 0;
    std::vector<Sent> sent;
    std::size_t reported = 0;  // arrivals of the pattern
    std::uint32_t undelivered = 0;
    std::uint64_t version = 0;
    std::vector<std::uint32_t> shared;
    typename Traffic::Names names;
  };
  struct Due {
    std::int64_t at = 0;
    std::uint32_t group = 0;
    std::uint64_t version = 0;
    friend bool operator>(const Due& a, const Due& b) { return a.at > b.at; }
  };

  [[nodiscard]] std::shared_ptr<Patterns> new_patterns() const {
    return std::make_shared<Patterns>(work_);
  }
  void learn(Group& group, std::int64_t until) {
    group.patterns->learn(*group.pattern, until, traffic_, group.names);
  }

  /// The group that a message between the pair belongs to.
  template <class Pair>
  std::uint32_t group_for(const Pair& pair, std::int64_t now) {
    std::vector<std::uint32_t> found;
    const auto consider = [&](std::uint32_t group) {
      if (is_over(groups_[group], now))
        end_group(group);
      else
        found.push_back(group);
    };
    const bool is_full = traffic_.is_full();
    if (is_full) patterns_ = new_patterns();  // the old ones end with their groups
    if (is_full || work_->posts > kSomePosts + Traffic::kMostPosts * posts_) {
      for (std::uint32_t i = 0; i < groups_.size(); ++i) {
        if (groups_[i].pattern != nullptr) consider(i);
      }
    } else {
      for (const std::uint32_t one : pair.shared) {
        const std::uint32_t group = group_of_[one];
        if (group != kNone && std::ranges::find(found, group) == found.end()) consider(group);
      }
    }
    if (found.empty()) return begin_group(traffic_.begin_of(now));
    return found.size() == 1 ? found.front() : join_groups(found, now);
  }
  bool is_over(Group& group, std::int64_t now) {
    if (group.undelivered > 0) return false;
    learn(group, now - group.begin);
    return group.pattern->quiet_at && group.begin + *group.pattern->quiet_at < now;
  }
  std::uint32_t begin_group(std::int64_t begin) {
    if (patterns_->size() > kMostPatterns) patterns_ = new_patterns();
    std::uint32_t number = static_cast<std::uint32_t>(groups_.size());
    if (unused_groups_.empty()) {
      groups_.emplace_back();
    } else {
      number = unused_groups_.back();
      unused_groups_.pop_back();
    }
    Group& group = groups_[number];
    group.patterns = patterns_;
    group.pattern = &patterns_->none();
    group.begin = begin;
    return number;
  }
  void end_group(std::uint32_t number) {
    Group& group = groups_[number];
    events_ += group.pattern->events;
    if (group.pattern->quiet_at) traffic_.end(group.names, group.pattern->final);
    forget_group(number);
  }
  void forget_group(std::uint32_t number) {
    Group& group = groups_[number];
    for (const std::uint32_t one : group.shared) group_of_[one] = kNone;
    const std::uint64_t version = group.version + 1;
    group = Group{};
    group.version = version;
    unused_groups_.push_back(number);
  }
  /// One group with the messages of several.
  std::uint32_t join_groups(const std::vector<std::uint32_t>& numbers, std::int64_t now) {
    std::vector<Sent> all;
    std::int64_t begin = now;
    for (const std::uint32_t number : numbers) {
      Group& group = groups_[number];
      begin = std::min(begin, group.begin);
      all.insert(all.end(), group.sent.begin(), group.sent.end());
      forget_group(number);
    }
    std::ranges::sort(all, {}, &Sent::order);
    const std::uint32_t joined = begin_group(begin);
    for (const Sent& sent : all) add_message(joined, sent);
    return joined;
  }
  void add_message(std::uint32_t number, const Sent& sent) {
    Group& group = groups_[number];
    const auto& pair = traffic_.pair_of(sent.message);
    for (const std::uint32_t one : pair.shared) {
      if (std::exchange(group_of_[one], number) != number) group.shared.push_back(one);
    }
    typename Traffic::Post post = traffic_.describe(group.names, pair, sent.message);
    post.at = sent.at - group.begin;
    post.is_together = !group.sent.empty() && group.sent.back().call == sent.call;
    post.key.push_back(static_cast<std::uint64_t>(post.at) << 1 |
                       static_cast<std::uint64_t>(post.is_together));
    group.sent.push_back(sent);
    group.undelivered += sent.has_arrived ? 0 : 1;
    group.pattern = &group.patterns->add(*group.pattern, std::move(post), traffic_, group.names);
    group.reported = 0;
  }
  void schedule(std::uint32_t number) {
    Group& group = groups_[number];
    ++group.version;
    if (group.undelivered == 0) return;
    const std::vector<PatternArrival>& arrivals = group.pattern->arrivals;
    const std::int64_t next = group.reported < arrivals.size()
                                  ? arrivals[group.reported].at
                                  : group.patterns->next_arrival(*group.pattern);
    if (next != kNever) due_.push({group.begin + next, number, group.version});
  }
  void deliver(Group& group, std::int64_t until, Report& report) {
    const std::vector<PatternArrival>& arrivals = group.pattern->arrivals;
    for (; group.reported < arrivals.size(); ++group.reported) {
      const std::int64_t at = group.begin + arrivals[group.reported].at;
      if (at > until) return;
      Sent& sent = group.sent[arrivals[group.reported].message];
      if (std::exchange(sent.has_arrived, true)) continue;  // before groups were joined
      --group.undelivered;
      --undelivered_;
      if (reports_links_) {
        for (const std::uint32_t link : traffic_.pair_of(sent.message).forth)
          report.carries(link, sent.sent, at, sent.message.bytes);
      }
      report.arrives(sent.message.token);
    }
  }

  Traffic traffic_;
  std::shared_ptr<PatternWork> work_ = std::make_shared<PatternWork>();
  std::shared_ptr<Patterns> patterns_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> unused_groups_;
  std::vector<std::uint32_t> group_of_;  // by part of the network
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t calls_ = 0, posts_ = 0;
  std::uint64_t undelivered_ = 0;
  std::uint64_t events_ = 0;  // of groups that are over
  bool reports_links_ = false;
};

}  // namespace orrery::model
