// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc_messages/flit_traffic.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace orrery::model {

namespace {

constexpr std::int64_t kLongestRepeat = std::int64_t{1} << 50;  // picoseconds
constexpr std::size_t kMostEngineBytes = 256 << 20;

/// The time after which all clocks are as before; 0: none within the limit.
std::int64_t find_repeats(const noc::FlitEngine& engine) {
  const noc::NocGraph& graph = engine.graph();
  std::int64_t found = 1;
  const auto include = [&](std::int64_t period) {
    if (found == 0) return;
    const std::int64_t times = period / std::gcd(found, period);
    found = found > kLongestRepeat / times ? 0 : found * times;
  };
  for (const std::int64_t period : graph.periods) include(period);
  if (!engine.uses_diagonals()) return found;
  for (std::uint32_t router = 0; router < graph.router_count(); ++router) {
    for (const std::int64_t size : engine.diagonals_of(router))
      include(size * graph.periods[graph.domain[router]]);
  }
  return found;
}

}  // namespace

std::string why_flits_not_skipped(platform::NocRouting routing) {
  using platform::NocRouting;
  if (routing == NocRouting::o1turn || routing == NocRouting::valiant)
    return "packets choose their routes at random (use `routing: xy`)";
  if (routing == NocRouting::adaptive || routing == NocRouting::xy_escape)
    return "packets choose their channels by load (use `routing: xy`)";
  return {};
}

std::int64_t FlitTraffic::Engine::quiet_since() const {
  std::int64_t since = messages_.engine().now();
  for (const std::uint32_t part : parts_)
    since = std::max(since, messages_.engine().busy_until(part));
  return since;
}

FlitTraffic::FlitTraffic(FlitMessages idle)
    : idle_(std::move(idle)),
      ports_(std::make_shared<const noc::NocPorts>(idle_.engine().graph())),
      repeats_(find_repeats(idle_.engine())) {}

std::int64_t FlitTraffic::time_of(std::int64_t now) const {
  const std::vector<std::int64_t>& periods = graph().periods;
  return periods.size() == 1 ? noc::ceil_div(now + 1, periods[0]) * periods[0] - 1 : now;
}

const FlitTraffic::Pair& FlitTraffic::pair_of(const FlitMessage& message) {
  const auto [entry, added] = pairs_.try_emplace(pair_key(message.from, message.to));
  Pair& pair = entry->second;
  if (!added) return pair;
  add_way(message, 0, pair);
  if (!idle_.engine().routes().has_one_way()) {
    // Bits of the key select the direction in rings whose opposite ways are equally long.
    for (std::uint64_t key = 1; key < std::uint64_t{1} << graph().extents.size(); ++key) {
      Pair other;
      add_way(message, key, other);
      if (other.forth == pair.forth) continue;
      pair.varies = true;
      pair.shared.insert(pair.shared.end(), other.shared.begin(), other.shared.end());
      pair.channels.insert(pair.channels.end(), other.channels.begin(), other.channels.end());
    }
  }
  // In the order of use, each part once.
  std::unordered_set<std::uint32_t> seen;
  std::erase_if(pair.shared, [&](std::uint32_t part) { return !seen.insert(part).second; });
  return pair;
}

void FlitTraffic::add_way(const FlitMessage& message, std::uint64_t key, Pair& pair) const {
  const noc::FlitEngine& engine = idle_.engine();
  noc::Packet packet;
  packet.source = message.from;
  packet.destination = message.to;
  packet.key = key;
  engine.routes().prepare(packet);
  pair.shared.push_back(engine.entry_of(message.from));
  noc::walk_route(graph(), *ports_, engine.routes(), packet,
                  [&](std::uint32_t link, const noc::RouteSet& outputs) {
                    pair.forth.push_back(link);
                    pair.shared.push_back(link);
                    pair.channels.push_back(outputs.choices[0].channels);
                  });
  pair.shared.push_back(engine.exit_of(message.to));
}

FlitTraffic::Post FlitTraffic::describe(Names& names, const Pair& pair,
                                        const FlitMessage& message) const {
  Post made;
  made.message = message;
  const auto name_end = [&](std::uint32_t node) {
    const std::uint32_t number = number_of(names.end_of, node);
    if (number == names.ends.size()) names.ends.push_back(node);
    return number;
  };
  made.message.from = name_end(message.from);
  made.message.to = name_end(message.to);
  made.message.token = names.messages++;
  made.key = {pair_key(made.message.from, made.message.to),
              static_cast<std::uint64_t>(message.bytes), pair.varies ? message.key : 0};
  if (names.pairs.insert(pair_key(message.from, message.to)).second) {
    for (const std::uint32_t part : pair.shared) add_part(names, part, made.key);
    made.key.insert(made.key.end(), pair.channels.begin(), pair.channels.end());
  }
  made.ends = names.ends.size();
  made.parts = names.parts.size();
  return made;
}

void FlitTraffic::add_part(Names& names, std::uint32_t part,
                           std::vector<std::uint64_t>& key) const {
  const std::uint32_t number = number_of(names.part_of, part);
  key.push_back(number);
  if (number < names.parts.size()) return;
  names.parts.push_back(part);
  const noc::NocGraph& graph = this->graph();
  const auto add_end = [&](std::uint32_t router, std::uint32_t port) {
    key.insert(key.end(), {pair_key(number_of(names.router_of, router), port), graph.ports[router],
                           static_cast<std::uint64_t>(graph.periods[graph.domain[router]])});
  };
  if (part < graph.links.size()) {
    const noc::NocLink& link = graph.links[part];
    add_end(link.from, link.from_port);
    add_end(link.to, link.to_port);
    for (const std::int64_t value : {link.cycles, link.extra, link.flit_time, link.synchronizer})
      key.push_back(static_cast<std::uint64_t>(value));
  } else {
    const bool is_entry = part < idle_.engine().exit_of(0);
    const noc::NocNode& node =
        graph.nodes[part - (is_entry ? idle_.engine().entry_of(0) : idle_.engine().exit_of(0))];
    key.push_back(is_entry ? 1 : 0);
    add_end(node.router, node.port);
  }
  std::vector<std::uint32_t> turns;
  idle_.engine().append_turns(part, turns);
  key.insert(key.end(), turns.begin(), turns.end());
}

void FlitTraffic::end(const Names& names, const Final& final) {
  std::span<const std::uint32_t> turns = final;
  for (const std::uint32_t part : names.parts)
    turns = turns.subspan(idle_.engine().set_turns(part, turns));
}

bool FlitTraffic::is_full() const {
  const auto engines = static_cast<std::size_t>(alive_.use_count());
  return engines > std::max<std::size_t>(8, kMostEngineBytes / idle_.engine().state_bytes());
}

std::unique_ptr<FlitTraffic::Engine> FlitTraffic::new_engine(const Names& /*names*/) const {
  return std::unique_ptr<Engine>(new Engine(idle_, alive_));
}

bool FlitTraffic::fits(const Engine& engine, const Post& post, const Names& names) {
  // A message without new nodes and parts is the same in the place of the engine.
  if (engine.ends_.size() == post.ends && engine.parts_.size() == post.parts) return true;
  const auto begins_with = [](const auto& all, const auto& first) {
    return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
  };
  return begins_with(names.ends, engine.ends_) && begins_with(names.parts, engine.parts_);
}

void FlitTraffic::post(Engine& engine, const Post& post, const Names& names) const {
  while (engine.ends_.size() < post.ends) engine.ends_.push_back(names.ends[engine.ends_.size()]);
  while (engine.parts_.size() < post.parts) {
    const std::uint32_t part = names.parts[engine.parts_.size()];
    std::vector<std::uint32_t> turns;
    idle_.engine().append_turns(part, turns);
    engine.messages_.engine().set_turns(part, turns);
    engine.parts_.push_back(part);
  }
  FlitMessage message = post.message;
  message.from = engine.ends_[message.from];
  message.to = engine.ends_[message.to];
  engine.messages_.post(message, post.at);
}

void FlitTraffic::run(Engine& engine, std::int64_t until, std::vector<PatternArrival>* log) {
  engine.messages_.run(until, [&](std::uint32_t token, std::int64_t time) {
    if (log != nullptr) log->push_back({time, token});
  });
}

FlitTraffic::Final FlitTraffic::final_of(const Engine& engine) {
  Final made;
  for (const std::uint32_t part : engine.parts_) engine.messages_.engine().append_turns(part, made);
  return made;
}

}  // namespace orrery::model
