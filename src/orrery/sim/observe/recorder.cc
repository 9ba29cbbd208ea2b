// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::sim {

namespace {

std::size_t slots_of(const model::MultiDimFabric& fabric, const model::Network& network) {
  return network.traits().uncontended ? std::size_t{fabric.rank_count()} * fabric.dim_count()
                                      : network.link_count();
}

constexpr std::uint64_t kCustomOrder = std::uint64_t{1} << 63;  // above the numbers of chunks

}  // namespace

Recorder::Recorder(const graph::Workload& workload, const model::MultiDimFabric& fabric,
                   const model::Network& network, const std::vector<Communicator>& communicators,
                   std::size_t nodes, std::uint32_t queues)
    : workload_(workload),
      fabric_(fabric),
      network_(network),
      links_(!network.traits().uncontended),
      communicators_(communicators),
      last_phases_(std::size_t{fabric.rank_count()} * queues),
      queues_(queues),
      by_dimension_(slots_of(fabric, network) > Recording::kMaxLinks),
      traffic_(by_dimension_ ? fabric.dim_count() : slots_of(fabric, network)) {
  recording_->details.resize(nodes);
  for (std::uint32_t i = 0; by_dimension_ && links_ && i < network.link_count(); ++i)
    dim_of_.push_back(network.link(i).dim);
  for (const Communicator& group : communicators)
    recording_->groups.push_back({group.name, group.ranks});
  by_order_.resize(recording_->groups.size());
  std::size_t first = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    recording_->first_node.push_back(first);
    first += workload.graph(rank).size();
  }
}

// The group of members that differ from `member` only in the given rings.
std::uint32_t Recorder::group_of(std::uint32_t communicator, std::uint32_t member,
                                 std::span<const model::RingShape> rings) {
  const Communicator& all = communicators_[communicator];
  std::uint64_t size = 1;
  std::uint32_t base = member;
  std::vector<std::uint32_t> strides;
  for (const model::RingShape& ring : rings) {
    size *= ring.size;
    base -= ring.position(member) * ring.stride;
    strides.push_back(ring.stride);
  }
  if (size == all.members) return communicator;
  const auto [found, added] =
      subgroups_.try_emplace(SubgroupKey{communicator, base, strides},
                             static_cast<std::uint32_t>(recording_->groups.size()));
  if (!added) return found->second;
  std::vector<std::uint32_t> members{base};
  for (const model::RingShape& ring : rings) {
    const std::size_t before = members.size();
    for (std::uint32_t p = 1; p < ring.size; ++p) {
      for (std::size_t m = 0; m < before; ++m) members.push_back(members[m] + p * ring.stride);
    }
  }
  for (std::uint32_t& m : members) m = all.rank_at(m);
  const std::string group_name = all.name.empty() ? "all ranks" : all.name;
  const std::uint32_t first = members.front(), next = members.size() > 1 ? members[1] : first;
  recording_->groups.push_back(
      {fmt::format("{}: {} ranks from {}, {} apart", group_name, members.size(), first,
                   next > first ? next - first : first - next),
       std::move(members)});
  by_order_.emplace_back();
  return found->second;
}

void Recorder::add_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                          std::uint32_t member, std::uint64_t chunk,
                          std::span<const model::RingShape> rings, std::int64_t now) {
  add_to_collective(group_of(communicator, member, rings), chunk, rank, node, now);
}

void Recorder::add_custom_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                                 std::uint32_t member, std::int64_t now) {
  const std::uint64_t number = custom_counts_[{communicator, member}]++;
  add_to_collective(communicator, kCustomOrder + number, rank, node, now);
}

void Recorder::add_to_collective(std::uint32_t group, std::uint64_t order, std::uint32_t rank,
                                 graph::NodeId node, std::int64_t now) {
  auto& list = by_order_[group];
  auto place = std::lower_bound(list.begin(), list.end(), std::pair{order, std::uint32_t{0}});
  if (place == list.end() || place->first != order) {
    place = list.insert(place, {order, static_cast<std::uint32_t>(recording_->collectives.size())});
    const graph::Collective& collective = workload_.graph(rank).collective(node);
    CollectiveInstance& made = recording_->collectives.emplace_back();
    made.group = group;
    made.order = order;
    made.first_start = made.last_start = now;
    made.last_rank = rank;
    made.last_node = node;
    made.bytes = collective.size.count();
    made.type = collective.type;
  }
  CollectiveInstance& collective = recording_->collectives[place->second];
  ++collective.members;
  if (now > collective.last_start || rank <= collective.last_rank) {
    collective.last_start = now;
    collective.last_rank = rank;
    collective.last_node = node;
  }
  recording_->details[index(rank, node)].collective = place->second;
}

void Recorder::sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) {
  const std::uint32_t collective = recording_->details[index(rank, node)].collective;
  if (collective != kNone) recording_->collectives[collective].sent += bytes;
}

void Recorder::add_predicted_phase(std::uint32_t rank, graph::NodeId node, std::uint32_t spec,
                                   std::int64_t duration) {
  const std::uint32_t collective = recording_->details[index(rank, node)].collective;
  if (collective == kNone) return;
  if (collective >= library_times_.size())
    library_times_.resize(recording_->collectives.size(), -1);
  if (duration <= library_times_[collective]) return;
  library_times_[collective] = duration;
  recording_->collectives[collective].predicted = spec;
}

void Recorder::memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) {
  recording_->details[index(rank, node)].queue = lost;
}

std::optional<std::int64_t> Recorder::last_arrival(std::uint32_t rank, graph::NodeId node) const {
  const std::uint32_t number = recording_->details[index(rank, node)].collective;
  if (number == kNone) return std::nullopt;
  const CollectiveInstance& collective = recording_->collectives[number];
  const RecordedGroup& group = recording_->groups[collective.group];
  const std::size_t size = group.ranks.empty() ? fabric_.rank_count() : group.ranks.size();
  if (collective.members < size) return std::nullopt;
  return collective.last_start;
}

void Recorder::end_phase(std::uint32_t rank, std::uint32_t queue, std::uint32_t op,
                         const ChunkHistory& history, std::int64_t now) {
  last_phases_[rank * std::size_t{queues_} + queue] = {now, op, history};
}

const ChunkHistory* Recorder::previous_chunk(std::uint32_t rank, std::uint32_t queue,
                                             std::uint32_t op, std::int64_t now) const {
  const LastPhase& last = last_phases_[rank * std::size_t{queues_} + queue];
  return last.at == now && last.op == op ? &last.history : nullptr;
}

void Recorder::end_collective(std::uint32_t rank, graph::NodeId node, std::int64_t queue,
                              std::int64_t latency) {
  NodeDetail& detail = recording_->details[index(rank, node)];
  detail.queue = queue;
  detail.latency = latency;
}

void Recorder::traffic(std::uint32_t rank, std::uint32_t dim, std::int64_t bytes, std::int64_t from,
                       std::int64_t until) {
  if (links_) return;
  traffic_.add(by_dimension_ ? dim : rank * fabric_.dim_count() + dim, from, until, bytes);
}

void Recorder::add_message(std::uint32_t rank, std::uint32_t to, std::int64_t bytes,
                           std::int64_t now, std::int64_t delay) {
  if (links_ || delay >= model::MultiDimFabric::kTooLong) return;
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    if (fabric_.coordinate(rank, d) == fabric_.coordinate(to, d)) continue;
    traffic(rank, static_cast<std::uint32_t>(d), bytes, now, now + delay);
  }
}

void Recorder::carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                       std::int64_t bytes) {
  traffic_.add(by_dimension_ ? dim_of_[link] : link, from, until, bytes);
}

std::int64_t Recording::uncontended_time(std::uint32_t from, std::uint32_t to,
                                         std::int64_t bytes) const {
  return network->uncontended_time(from, to, bytes);
}

std::unique_ptr<Recording> Recorder::finish(std::vector<NodeTimes> times) && {
  recording_->times = std::move(times);
  recording_->bin = traffic_.bin();
  for (std::size_t slot = 0; slot < traffic_.slots(); ++slot) {
    if (traffic_.total(slot) == 0) continue;
    RecordedLink& link = recording_->links.emplace_back();
    if (by_dimension_) {
      link.dim = static_cast<std::uint32_t>(slot);
    } else if (links_) {
      const model::LinkPlace about = network_.link(static_cast<std::uint32_t>(slot));
      link.dim = about.dim;
      link.from = about.from;
      link.to = about.to;
      link.down = about.down;
      link.name = about.name;
      link.kind = about.kind;
      link.capacity = about.bytes_per_second;
    } else {
      link.dim = static_cast<std::uint32_t>(slot % fabric_.dim_count());
      link.from = static_cast<std::uint32_t>(slot / fabric_.dim_count());
    }
    if (link.from != kNone && link.name.empty())
      link.share = fabric_.port(link.from, link.dim).share;
    link.bytes = traffic_.total(slot);
    const auto curve = traffic_.curve(slot);
    link.bins.assign(curve.begin(), curve.end());
  }
  return std::move(recording_);
}

}  // namespace orrery::sim
