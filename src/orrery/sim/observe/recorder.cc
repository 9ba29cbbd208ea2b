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

constexpr std::uint64_t kCustomOrder = std::uint64_t{1} << 63;  // after those with chunks

}  // namespace

Recorder::Recorder(const graph::Workload& workload, const model::MultiDimFabric& fabric,
                   const model::Network& network, const std::vector<Communicator>& communicators,
                   std::size_t nodes, std::uint32_t queues)
    : workload_(workload),
      fabric_(fabric),
      network_(network),
      links_(!network.traits().uncontended),
      communicators_(communicators),
      left_(std::size_t{fabric.rank_count()} * queues),
      queues_(queues),
      whole_dims_(slots_of(fabric, network) > Recording::kMaxLinks),
      use_(whole_dims_ ? fabric.dim_count() : slots_of(fabric, network)) {
  made_->details.resize(nodes);
  for (std::uint32_t i = 0; whole_dims_ && links_ && i < network.link_count(); ++i)
    dim_of_.push_back(network.link(i).dim);
  for (const Communicator& group : communicators)
    made_->groups.push_back({group.name, group.ranks});
  joins_.resize(made_->groups.size());
  std::size_t first = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    made_->first_node.push_back(first);
    first += workload.graph(rank).size();
  }
}

// Members that differ from `member` only in the given rings.
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
  const auto [found, added] = parts_.try_emplace(Part{communicator, base, strides},
                                                 static_cast<std::uint32_t>(made_->groups.size()));
  if (!added) return found->second;
  std::vector<std::uint32_t> members{base};
  for (const model::RingShape& ring : rings) {
    const std::size_t before = members.size();
    for (std::uint32_t p = 1; p < ring.size; ++p) {
      for (std::size_t m = 0; m < before; ++m) members.push_back(members[m] + p * ring.stride);
    }
  }
  for (std::uint32_t& m : members) m = all.ranks.empty() ? m : all.ranks[m];
  const std::string whole = all.name.empty() ? "all ranks" : all.name;
  const std::uint32_t first = members.front(), next = members.size() > 1 ? members[1] : first;
  made_->groups.push_back({fmt::format("{}: {} ranks from {}, {} apart", whole, members.size(),
                                       first, next > first ? next - first : first - next),
                           std::move(members)});
  joins_.emplace_back();
  return found->second;
}

void Recorder::join(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                    std::uint32_t member, std::uint64_t chunk,
                    std::span<const model::RingShape> rings, std::int64_t now) {
  add(group_of(communicator, member, rings), chunk, rank, node, now);
}

void Recorder::custom(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                      std::uint32_t member, std::int64_t now) {
  const std::uint64_t number = customs_[{communicator, member}]++;
  add(communicator, kCustomOrder + number, rank, node, now);
}

void Recorder::add(std::uint32_t group, std::uint64_t order, std::uint32_t rank, graph::NodeId node,
                   std::int64_t now) {
  auto& list = joins_[group];
  auto place = std::lower_bound(list.begin(), list.end(), std::pair{order, std::uint32_t{0}});
  if (place == list.end() || place->first != order) {
    place = list.insert(place, {order, static_cast<std::uint32_t>(made_->joins.size())});
    const graph::Collective& collective = workload_.graph(rank).collective(node);
    CollectiveInstance& made = made_->joins.emplace_back();
    made.group = group;
    made.order = order;
    made.first_start = made.last_start = now;
    made.last_rank = rank;
    made.last_node = node;
    made.bytes = collective.size.count();
    made.type = collective.type;
  }
  CollectiveInstance& join = made_->joins[place->second];
  ++join.members;
  if (now > join.last_start || rank <= join.last_rank) {
    join.last_start = now;
    join.last_rank = rank;
    join.last_node = node;
  }
  made_->details[index(rank, node)].join = place->second;
}

void Recorder::sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) {
  const std::uint32_t join = made_->details[index(rank, node)].join;
  if (join != kNone) made_->joins[join].sent += bytes;
}

void Recorder::predicted(std::uint32_t rank, graph::NodeId node, std::uint32_t spec,
                         std::int64_t duration) {
  const std::uint32_t join = made_->details[index(rank, node)].join;
  if (join == kNone) return;
  if (join >= library_times_.size()) library_times_.resize(made_->joins.size(), -1);
  if (duration <= library_times_[join]) return;
  library_times_[join] = duration;
  made_->joins[join].predicted = spec;
}

void Recorder::memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) {
  made_->details[index(rank, node)].queue = lost;
}

std::optional<std::int64_t> Recorder::together(std::uint32_t rank, graph::NodeId node) const {
  const std::uint32_t number = made_->details[index(rank, node)].join;
  if (number == kNone) return std::nullopt;
  const CollectiveInstance& join = made_->joins[number];
  const RecordedGroup& group = made_->groups[join.group];
  const std::size_t size = group.ranks.empty() ? fabric_.rank_count() : group.ranks.size();
  if (join.members < size) return std::nullopt;
  return join.last_start;
}

void Recorder::left(std::uint32_t rank, std::uint32_t queue, std::uint32_t op,
                    const ChunkHistory& history, std::int64_t now) {
  left_[rank * std::size_t{queues_} + queue] = {now, op, history};
}

const ChunkHistory* Recorder::just_left(std::uint32_t rank, std::uint32_t queue, std::uint32_t op,
                                        std::int64_t now) const {
  const Left& last = left_[rank * std::size_t{queues_} + queue];
  return last.at == now && last.op == op ? &last.history : nullptr;
}

void Recorder::done(std::uint32_t rank, graph::NodeId node, std::int64_t queue,
                    std::int64_t latency) {
  NodeDetail& detail = made_->details[index(rank, node)];
  detail.queue = queue;
  detail.latency = latency;
}

void Recorder::traffic(std::uint32_t rank, std::uint32_t dim, std::int64_t bytes, std::int64_t from,
                       std::int64_t until) {
  if (links_) return;
  use_.add(whole_dims_ ? dim : rank * fabric_.dim_count() + dim, from, until, bytes);
}

void Recorder::message(std::uint32_t rank, std::uint32_t to, std::int64_t bytes, std::int64_t now,
                       std::int64_t delay) {
  if (links_ || delay >= model::MultiDimFabric::kTooLong) return;
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    if (fabric_.coordinate(rank, d) == fabric_.coordinate(to, d)) continue;
    traffic(rank, static_cast<std::uint32_t>(d), bytes, now, now + delay);
  }
}

void Recorder::carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                       std::int64_t bytes) {
  use_.add(whole_dims_ ? dim_of_[link] : link, from, until, bytes);
}

std::int64_t Recording::alone(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const {
  return network->alone(from, to, bytes);
}

std::unique_ptr<Recording> Recorder::finish(std::vector<NodeTimes> times) && {
  made_->times = std::move(times);
  made_->bin = use_.bin();
  for (std::size_t slot = 0; slot < use_.slots(); ++slot) {
    if (use_.total(slot) == 0) continue;
    RecordedLink& link = made_->links.emplace_back();
    if (whole_dims_) {
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
    link.bytes = use_.total(slot);
    const auto curve = use_.curve(slot);
    link.bins.assign(curve.begin(), curve.end());
  }
  return std::move(made_);
}

}  // namespace orrery::sim
