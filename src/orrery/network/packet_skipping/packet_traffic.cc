// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_skipping/packet_traffic.h"

#include <algorithm>
#include <bit>
#include <utility>

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

/// Stores arrivals, or ignores them (null).
class ArrivalLog final : public PacketEngine::Report {
 public:
  ArrivalLog(const SteadyEngine& engine, std::vector<PatternArrival>* log)
      : engine_(engine), log_(log) {}
  void arrives(std::uint32_t token) override {
    if (log_ != nullptr) log_->push_back({engine_.now(), token});
  }
  void carries(std::uint32_t /*link*/, std::int64_t /*from*/, std::int64_t /*until*/,
               std::int64_t /*bytes*/) override {}

 private:
  const SteadyEngine& engine_;
  std::vector<PatternArrival>* log_;
};

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

PacketTraffic::PacketTraffic(const platform::PacketSettings& settings,
                             std::vector<PacketLink> links, std::shared_ptr<PacketRouter> router,
                             std::optional<std::int64_t> usual_window)
    : settings_(settings),
      links_(std::move(links)),
      router_(std::move(router)),
      usual_window_(usual_window),
      pauses_(any_of(settings, [](const auto& rules) { return rules.pfc; })),
      shares_buffers_(settings.buffer.count() > 0),
      samples_(shares_buffers_ || any_of(settings, [](const auto& rules) {
                 return rules.trims || rules.mark_to.count() > 0 || rules.queue.count() > 0;
               })) {
  for (const PacketLink& link : links_) nodes_ = std::max({nodes_, link.from + 1, link.to + 1});
}

const PacketTraffic::Pair& PacketTraffic::pair_of(const PacketPost& message) {
  const std::uint32_t from = message.from, to = message.to;
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

PacketTraffic::Post PacketTraffic::describe(Names& names, const Pair& pair,
                                            const PacketPost& message) const {
  Post made;
  made.message = message;
  made.message.from = number_of(names.ends, message.from);
  made.message.to = number_of(names.ends, message.to);
  made.message.token = names.messages++;
  made.key = {pair_key(made.message.from, made.message.to), message.priority,
              static_cast<std::uint64_t>(message.bytes)};
  // Priorities of a pair have the same routes.
  if (names.pairs.insert(pair_key(message.from, message.to)).second) add_routes(names, pair, made);
  return made;
}

void PacketTraffic::add_routes(Names& names, const Pair& pair, Post& post) const {
  for (const std::uint32_t link : pair.forth) add_link(names, link, post.forth, post);
  post.key.push_back(~std::uint64_t{0});
  for (const std::uint32_t link : pair.back) add_link(names, link, post.back, post);
}

void PacketTraffic::add_link(Names& names, std::uint32_t link, std::vector<std::uint32_t>& route,
                             Post& post) const {
  const auto next = static_cast<std::uint32_t>(names.links.size());
  const auto [entry, added] = names.links.try_emplace(link, next);
  route.push_back(entry->second);
  post.key.push_back(entry->second);
  if (!added) return;
  NewLink made{renamed(names, link, post.key), {}};
  const std::uint32_t back = links_[link].reverse;
  if (pauses_ && back != kNoPacket) {
    made.back = renamed(names, back, post.key);
    names.links.try_emplace(back, next + 1);
  }
  post.key.push_back(made.back ? 1 : 0);
  post.links.push_back(std::move(made));
}

/// A link as the pattern numbers its ends, and what it is.
PacketLink PacketTraffic::renamed(Names& names, std::uint32_t link,
                                  std::vector<std::uint64_t>& key) const {
  PacketLink made = links_[link];
  made.from = number_of(names.nodes, made.from);
  made.to = number_of(names.nodes, made.to);
  made.reverse = kNoPacket;
  if (!samples_) made.identity = 0;
  key.insert(key.end(), {std::bit_cast<std::uint64_t>(made.bytes_per_ns),
                         static_cast<std::uint64_t>(made.latency), pair_key(made.from, made.to),
                         static_cast<std::uint64_t>(made.kind) << 1 |
                             static_cast<std::uint64_t>(made.is_switch),
                         made.identity});
  return made;
}

void PacketTraffic::post(SteadyEngine& engine, const Post& post, const Names& /*names*/) {
  for (const NewLink& one : post.links) engine.add_link(one.link, one.back ? &*one.back : nullptr);
  if (!post.forth.empty()) {
    engine.routes().add(post.message.from, post.message.to, post.forth);
    engine.routes().add(post.message.to, post.message.from, post.back);
  }
  ArrivalLog none(engine, nullptr);
  engine.post(post.message, post.at, none);
}

void PacketTraffic::run(SteadyEngine& engine, std::int64_t until,
                        std::vector<PatternArrival>* log) {
  ArrivalLog report(engine, log);
  engine.run(until, report);
}

}  // namespace orrery::model
