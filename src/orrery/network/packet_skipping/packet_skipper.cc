// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_skipping/packet_skipper.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/platform/packet_rules.h"

namespace orrery::model {

namespace {

std::vector<platform::PacketRules> all_rules(const platform::PacketSettings& settings) {
  std::vector<platform::PacketRules> rules = {packet_rules(settings)};
  for (const platform::PacketClass& one : settings.classes)
    rules.push_back(packet_rules(settings, &one));
  return rules;
}

bool any_of(const platform::PacketSettings& settings, auto predicate) {
  return std::ranges::any_of(all_rules(settings), predicate);
}

std::uint64_t pair_key(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}

/// The number of `name`, in the order of use.
std::uint32_t number_of(std::unordered_map<std::uint32_t, std::uint32_t>& numbers,
                        std::uint32_t name) {
  return numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second;
}

}  // namespace

std::string why_not_skipped(const platform::PacketSettings& settings, bool sprays, bool may_fail) {
  using platform::PacketTransport;
  if (may_fail) return "links fail or recover during the run";
  if (sprays) return "packets are sprayed, and later messages use other routes";
  if (any_of(settings, [](const platform::PacketRules& rules) {
        return rules.transport != PacketTransport::window;
      }))
    return "the transport adapts to earlier messages (only `transport: window` does not)";
  const bool is_random = any_of(settings, [&](const platform::PacketRules& rules) {
    const bool is_limited = rules.queue.count() > 0 || settings.buffer.count() > 0;
    return rules.mark_to.count() > 0 || (rules.pfc ? rules.headroom.has_value() : is_limited);
  });
  if (is_random) return "queues mark or lose packets";
  if (settings.scheduling == platform::PacketScheduling::weighted)
    return "weighted queues remember earlier packets";
  return {};
}

PacketSkipper::PacketSkipper(const platform::PacketSettings& settings,
                             std::vector<PacketLink> links, std::shared_ptr<PacketRouter> router,
                             std::optional<std::int64_t> usual_window)
    : settings_(settings),
      links_(std::move(links)),
      router_(std::move(router)),
      usual_window_(usual_window),
      pauses_(any_of(settings, [](const auto& rules) { return rules.pfc; })),
      shares_buffers_(settings.buffer.count() > 0),
      samples_(shares_buffers_ || any_of(settings,
                                         [](const auto& rules) {
                                           return rules.trims || rules.mark_to.count() > 0 ||
                                                  rules.queue.count() > 0;
                                         })),
      patterns_(new_patterns()) {
  std::uint32_t nodes = 0;
  for (const PacketLink& link : links_) nodes = std::max({nodes, link.from + 1, link.to + 1});
  group_of_.assign(links_.size() + nodes, kNone);
}

PacketSkipper::PacketSkipper(const PacketSkipper& other)
    : PacketSkipper(other.settings_, other.links_, other.router_, other.usual_window_) {
  pairs_ = other.pairs_;
  calls_ = other.calls_;
  posts_ = other.posts_;
  undelivered_ = other.undelivered_;
  events_ = other.events_;
  reports_links_ = other.reports_links_;
  *simulated_ = *other.simulated_;
  for (std::uint32_t i = 0; i < other.groups_.size(); ++i) {
    const Group& from = other.groups_[i];
    if (from.pattern == nullptr) continue;
    const std::uint32_t made = begin_group(from.begin);
    for (const Sent& sent : from.sent) add_message(made, sent, false);
    schedule(made);
  }
}

std::shared_ptr<TrafficPatterns> PacketSkipper::new_patterns() const {
  return std::make_shared<TrafficPatterns>(settings_, usual_window_, simulated_);
}

const PacketSkipper::Pair& PacketSkipper::pair_of(std::uint32_t from, std::uint32_t to) {
  const auto [entry, added] = pairs_.try_emplace(pair_key(from, to));
  Pair& pair = entry->second;
  if (!added) return pair;
  router_->append_route(0, from, to, 0, pair.forth);
  router_->append_route(0, to, from, 0, pair.back);
  const auto share = [&](std::uint32_t link) {
    pair.shared.push_back(link);
    if (pauses_ && links_[link].reverse != kNoPacket) pair.shared.push_back(links_[link].reverse);
    if (shares_buffers_)
      pair.shared.push_back(static_cast<std::uint32_t>(links_.size()) + links_[link].from);
  };
  for (const std::uint32_t link : pair.forth) share(link);
  for (const std::uint32_t link : pair.back) share(link);
  std::sort(pair.shared.begin(), pair.shared.end());
  pair.shared.erase(std::unique(pair.shared.begin(), pair.shared.end()), pair.shared.end());
  return pair;
}

void PacketSkipper::post(const PacketPost& message, std::int64_t now) {
  const std::uint32_t group = group_for(pair_of(message.from, message.to), now);
  ++undelivered_;
  add_message(group, {now, calls_, ++posts_, message, false}, true);
  schedule(group);
}

/// The group that a message between the pair belongs to.
std::uint32_t PacketSkipper::group_for(const Pair& pair, std::int64_t now) {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t one : pair.shared) {
    const std::uint32_t group = group_of_[one];
    if (group == kNone || std::ranges::find(found, group) != found.end()) continue;
    if (is_over(groups_[group], now))
      end_group(group);
    else
      found.push_back(group);
  }
  if (found.empty()) return begin_group(now);
  return found.size() == 1 ? found.front() : join_groups(found, now);
}

bool PacketSkipper::is_over(Group& group, std::int64_t now) const {
  if (group.undelivered > 0) return false;
  group.patterns->learn(*group.pattern, now - group.begin);
  return group.pattern->quiet_at && group.begin + *group.pattern->quiet_at < now;
}

std::uint32_t PacketSkipper::begin_group(std::int64_t now) {
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
  group.begin = now;
  return number;
}

void PacketSkipper::end_group(std::uint32_t number) {
  Group& group = groups_[number];
  events_ += group.pattern->events;
  for (const std::uint32_t one : group.shared) group_of_[one] = kNone;
  const std::uint64_t version = group.version + 1;
  group = Group{};
  group.version = version;
  unused_groups_.push_back(number);
}

/// One group with the messages of several.
std::uint32_t PacketSkipper::join_groups(const std::vector<std::uint32_t>& numbers,
                                         std::int64_t now) {
  std::vector<Sent> all;
  std::int64_t begin = now;
  for (const std::uint32_t number : numbers) {
    Group& group = groups_[number];
    begin = std::min(begin, group.begin);
    all.insert(all.end(), group.sent.begin(), group.sent.end());
    for (const std::uint32_t one : group.shared) group_of_[one] = kNone;
    const std::uint64_t version = group.version + 1;
    group = Group{};
    group.version = version;
    unused_groups_.push_back(number);
  }
  std::ranges::sort(all, {}, &Sent::order);
  const std::uint32_t joined = begin_group(begin);
  for (const Sent& sent : all) add_message(joined, sent, false);
  return joined;
}

/// `is_now`: it is posted now. Otherwise it was posted in the past.
void PacketSkipper::add_message(std::uint32_t number, const Sent& sent, bool is_now) {
  Group& group = groups_[number];
  const Pair& pair = pair_of(sent.message.from, sent.message.to);
  for (const std::uint32_t one : pair.shared) {
    if (std::exchange(group_of_[one], number) != number) group.shared.push_back(one);
  }
  PatternPost post = describe(group, sent);
  group.sent.push_back(sent);
  group.undelivered += sent.has_arrived ? 0 : 1;
  group.pattern = &group.patterns->add(*group.pattern, std::move(post), is_now);
  group.reported = 0;
}

PatternPost PacketSkipper::describe(Group& group, const Sent& sent) {
  const PacketPost& message = sent.message;
  PatternPost made;
  made.at = sent.at - group.begin;
  made.is_together = !group.sent.empty() && group.sent.back().call == sent.call;
  made.message = message;
  made.message.from = number_of(group.ends, message.from);
  made.message.to = number_of(group.ends, message.to);
  made.message.token = static_cast<std::uint32_t>(group.sent.size());
  made.key = {
      static_cast<std::uint64_t>(made.at) << 1 | static_cast<std::uint64_t>(made.is_together),
      pair_key(made.message.from, made.message.to), message.priority,
      static_cast<std::uint64_t>(message.bytes)};
  // Priorities of a pair have the same routes.
  if (group.pairs.insert(pair_key(message.from, message.to)).second)
    add_routes(group, pair_of(message.from, message.to), made);
  return made;
}

void PacketSkipper::add_routes(Group& group, const Pair& pair, PatternPost& post) const {
  for (const std::uint32_t link : pair.forth) add_link(group, link, post.routes.forth, post);
  post.key.push_back(kNone);
  for (const std::uint32_t link : pair.back) add_link(group, link, post.routes.back, post);
}

void PacketSkipper::add_link(Group& group, std::uint32_t link, std::vector<std::uint32_t>& route,
                             PatternPost& post) const {
  const auto next = static_cast<std::uint32_t>(group.links.size());
  const auto [entry, added] = group.links.try_emplace(link, next);
  route.push_back(entry->second);
  post.key.push_back(entry->second);
  if (!added) return;
  PatternLink made{renamed(group, link, post.key), {}};
  const std::uint32_t back = links_[link].reverse;
  if (pauses_ && back != kNoPacket) {
    made.back = renamed(group, back, post.key);
    group.links.try_emplace(back, next + 1);
  }
  post.key.push_back(made.back ? 1 : 0);
  post.routes.links.push_back(std::move(made));
}

/// A link as the pattern numbers its ends, and what it is.
PacketLink PacketSkipper::renamed(Group& group, std::uint32_t link,
                                  std::vector<std::uint64_t>& key) const {
  PacketLink made = links_[link];
  made.from = number_of(group.nodes, made.from);
  made.to = number_of(group.nodes, made.to);
  made.reverse = kNoPacket;
  if (!samples_) made.identity = 0;
  key.insert(key.end(), {std::bit_cast<std::uint64_t>(made.bytes_per_ns),
                         static_cast<std::uint64_t>(made.latency), pair_key(made.from, made.to),
                         static_cast<std::uint64_t>(made.kind) << 1 |
                             static_cast<std::uint64_t>(made.is_switch),
                         made.identity});
  return made;
}

void PacketSkipper::schedule(std::uint32_t number) {
  Group& group = groups_[number];
  ++group.version;
  if (group.undelivered == 0) return;
  const std::vector<Pattern::Arrival>& arrivals = group.pattern->arrivals;
  const std::int64_t next = group.reported < arrivals.size()
                                ? arrivals[group.reported].at
                                : group.patterns->next_arrival(*group.pattern);
  if (next != kNever) due_.push({group.begin + next, number, group.version});
}

std::int64_t PacketSkipper::next_arrival() {
  while (!due_.empty() && due_.top().version != groups_[due_.top().group].version) due_.pop();
  return due_.empty() ? kNever : due_.top().at;
}

void PacketSkipper::run(std::int64_t until, Report& report) {
  while (next_arrival() <= until) {
    const std::uint32_t number = due_.top().group;
    Group& group = groups_[number];
    group.patterns->learn(*group.pattern, until - group.begin);
    deliver(group, until, report);
    schedule(number);
  }
}

void PacketSkipper::deliver(Group& group, std::int64_t until, Report& report) {
  const std::vector<Pattern::Arrival>& arrivals = group.pattern->arrivals;
  for (; group.reported < arrivals.size(); ++group.reported) {
    const std::int64_t at = group.begin + arrivals[group.reported].at;
    if (at > until) return;
    Sent& sent = group.sent[arrivals[group.reported].message];
    if (std::exchange(sent.has_arrived, true)) continue;  // before groups were joined
    --group.undelivered;
    --undelivered_;
    if (reports_links_) {
      for (const std::uint32_t link : pair_of(sent.message.from, sent.message.to).forth)
        report.carries(link, sent.at, at, sent.message.bytes);
    }
    report.arrives(sent.message.token);
  }
}

SkippedEvents PacketSkipper::count_events() {
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].pattern == nullptr || groups_[i].undelivered > 0) continue;
    groups_[i].patterns->learn(*groups_[i].pattern, kNever / 2);
    end_group(i);
  }
  return {.simulated = *simulated_, .all = std::max(events_, *simulated_)};
}

std::vector<const PacketEngine*> PacketSkipper::stalled() const {
  std::vector<const PacketEngine*> engines;
  for (const Group& group : groups_) {
    if (group.undelivered > 0 && group.pattern->engine != nullptr)
      engines.push_back(&group.pattern->engine->engine());
  }
  return engines;
}

}  // namespace orrery::model
