// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/packet_paths.h"

#include <algorithm>
#include <map>

#include "orrery/core/check.h"
#include "orrery/core/random.h"

namespace orrery::model {

void PacketPaths::append_route(std::uint32_t state, EndPoint from, EndPoint to,
                               std::uint32_t entropy, std::vector<platform::LinkIndex>& links) {
  if (!fabric_->sprays()) {
    const Route* route = fabric_->find(state, from, to);
    // make_fabric() ensures a route, unless a fault has begun.
    ORRERY_CHECK(route != nullptr || state != fabric_->initial_state());
    if (route == nullptr) return;
    for (const platform::RouteLink& step : route->steps) links.push_back(step.link);
    return;
  }
  if (approaches_.empty()) find_approaches();
  if (state != fabric_->initial_state() && fabric_->find(state, from, to) == nullptr) return;
  const Approach end = approaches_[to];
  const std::uint64_t key = platform::hash_pair(
      platform::hash_pair((std::uint64_t{from} << 32) | to, entropy), fabric_->seed());
  platform::NodeIndex at = fabric_->node(from);
  append_first_links(at, end.gate, links);
  while (at != end.gate) {
    const Choices next = choices(state, at, to);
    if (next.count > 1) {
      links.push_back(choices_[next.first + platform::hash_pair(key, at) % next.count]);
    } else {
      const auto from_here = choices_.begin() + next.first;
      links.insert(links.end(), from_here, from_here + next.links);
    }
    at = fabric_->topology().link(links.back()).to;
  }
  const auto last = last_links_.begin() + end.first;
  links.insert(links.end(), last, last + end.count);
}

void PacketPaths::append_next(std::uint32_t state, std::uint32_t node, EndPoint to,
                              std::vector<platform::LinkIndex>& links) {
  fabric_->next_links(state, node, to, found_);
  links.insert(links.end(), found_.begin(), found_.end());
}

std::size_t PacketPaths::slot_of(const Table& table, std::uint64_t key) {
  std::size_t slot = mix_bits(key) & (table.slots.size() - 1);
  while (table.slots[slot].key != kUnused && table.slots[slot].key != key)
    slot = (slot + 1) & (table.slots.size() - 1);
  return slot;
}

void PacketPaths::grow(Table& table) {
  std::vector<Choices> before(std::max<std::size_t>(64, 2 * table.slots.size()));
  before.swap(table.slots);
  for (const Choices& one : before) {
    if (one.key != kUnused) table.slots[slot_of(table, one.key)] = one;
  }
}

PacketPaths::Approach PacketPaths::find_approach(platform::NodeIndex to) {
  const platform::Topology& topology = fabric_->topology();
  Approach made{to, 0, static_cast<std::uint32_t>(last_links_.size()), 0};
  platform::NodeIndex before = to;  // the node after the gate
  while (!platform::is_switch(topology.kind(made.gate))) {
    const platform::LinkIndex* only = nullptr;
    std::size_t count = 0;
    for (const platform::LinkIndex& link : topology.in(made.gate)) {
      if (topology.link(link).from == before) continue;
      only = &link;
      ++count;
    }
    if (count != 1) break;
    last_links_.push_back(*only);
    ++made.count;
    before = made.gate;
    made.gate = topology.link(*only).from;
  }
  std::reverse(last_links_.begin() + made.first, last_links_.end());
  return made;
}

void PacketPaths::find_approaches() {
  // The widest of equally long routes are equal for two end points if their last links are equally
  // wide, too.
  std::map<std::pair<platform::NodeIndex, std::vector<double>>, std::uint32_t> classes;
  const platform::Topology& topology = fabric_->topology();
  for (EndPoint to = 0; to < fabric_->end_point_count(); ++to) {
    Approach& made = approaches_.emplace_back(find_approach(fabric_->node(to)));
    std::vector<double> widths;
    for (std::uint32_t i = 0; i < made.count; ++i)
      widths.push_back(topology.link(last_links_[made.first + i]).capacity());
    const auto next = static_cast<std::uint32_t>(classes.size());
    made.class_number = classes.try_emplace({made.gate, widths}, next).first->second;
  }
}

/// Follows the only links out of a device and its NIC.
void PacketPaths::append_first_links(platform::NodeIndex& at, platform::NodeIndex gate,
                                     std::vector<platform::LinkIndex>& links) const {
  const platform::Topology& topology = fabric_->topology();
  platform::NodeIndex before = at;
  while (at != gate && !platform::is_switch(topology.kind(at))) {
    const auto [first, end] = topology.out(at);
    platform::LinkIndex only = end;
    std::size_t count = 0;
    for (platform::LinkIndex link = first; link < end; ++link) {
      if (topology.link(link).to == before) continue;
      only = link;
      ++count;
    }
    if (count != 1) return;
    links.push_back(only);
    before = at;
    at = topology.link(only).to;
  }
}

PacketPaths::Choices PacketPaths::choices(std::uint32_t state, platform::NodeIndex at,
                                          EndPoint to) {
  if (state >= tables_.size()) tables_.resize(state + 1);
  Table& table = tables_[state];
  if (2 * table.entries >= table.slots.size()) grow(table);
  const std::uint64_t key = (std::uint64_t{at} << 32) | approaches_[to].class_number;
  Choices& entry = table.slots[slot_of(table, key)];
  if (entry.key == kUnused) {
    entry = find_choices(state, at, to);
    entry.key = key;
    ++table.entries;
  }
  return entry;
}

PacketPaths::Choices PacketPaths::find_choices(std::uint32_t state, platform::NodeIndex at,
                                               EndPoint to) {
  Choices made;
  made.first = static_cast<std::uint32_t>(choices_.size());
  const auto find_next = [&] { fabric_->next_links(state, at, to, found_); };
  find_next();
  ORRERY_CHECK(!found_.empty() && found_.size() < 65536);  // make_fabric() ensures a route
  made.count = static_cast<std::uint16_t>(found_.size());
  if (made.count > 1) {
    choices_.insert(choices_.end(), found_.begin(), found_.end());
    return made;
  }
  while (found_.size() == 1) {
    choices_.push_back(found_.front());
    ++made.links;
    at = fabric_->topology().link(found_.front()).to;
    if (at == approaches_[to].gate) break;
    find_next();
  }
  return made;
}

}  // namespace orrery::model
