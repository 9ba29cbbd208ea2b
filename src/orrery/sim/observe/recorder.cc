// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/recorder.h"

#include <algorithm>
#include <numeric>

#include "orrery/sim/observe/equal_times.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kCustomOrder = std::uint64_t{1} << 63;  // above the numbers of chunks

// Ports of all ranks of the workload into all dimensions.
std::size_t ports(const EngineRun& run) {
  return std::size_t{run.fabric.rank_count()} * run.fabric.dim_count();
}

std::size_t slots(const EngineRun& run, bool links, bool by_dimension) {
  if (by_dimension) return run.fabric.dim_count();
  return links ? run.network.link_count()
               : std::size_t{run.folded_workload.ranks()} * run.fabric.dim_count();
}

}  // namespace

Recorder::Recorder(const EngineRun& run, std::uint32_t queues)
    : run_(run),
      links_(!run.network.traits().uncontended),
      groups_(run),
      last_phases_(std::size_t{run.folded_workload.ranks()} * queues),
      queues_(queues),
      by_dimension_((links_ ? run.network.link_count() : ports(run)) > Recording::kMaxLinks),
      traffic_(slots(run, links_, by_dimension_), by_dimension_ ? run.fabric.dim_count()
                                                  : links_      ? run.network.link_count()
                                                                : ports(run)) {
  make_details();
  if (!links_) return;
  reported_as_ = run.network.reported_as();
  const std::size_t dims = run.fabric.dim_count();
  if (by_dimension_) represented_.resize(run.network.link_count() * dims);
  for (std::uint32_t link = 0; by_dimension_ && link < run.network.link_count(); ++link)
    ++represented_[reported_as(link) * dims + run.network.link(link).dim];
}

void Recorder::make_details() {
  recording_->detailed.resize(run_.workload.graphs.size());
  std::size_t next = 0;
  for (std::uint32_t rank = 0; rank < run_.folded_workload.ranks(); ++rank) {
    const std::uint32_t graph = run_.workload.graph_of_rank[run_.real(rank)];
    DetailedNodes& nodes = recording_->detailed[graph];
    if (nodes.all().empty()) nodes = DetailedNodes(run_.graph_of(rank));
    details_of_.push_back({next, graph});
    next += nodes.all().size();
  }
  recording_->details.resize(next);
}

void Recorder::add_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                          std::uint32_t member, std::uint64_t chunk,
                          std::span<const model::RingShape> rings, std::int64_t now) {
  const std::uint64_t skipped =
      communicator < skipped_chunks_.size() ? skipped_chunks_[communicator] : 0;
  add_to_collective(groups_.add_use(rank, node, communicator, member, rings), chunk + skipped, rank,
                    node, now);
}

void Recorder::add_custom_member(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                                 std::uint32_t member, std::int64_t now) {
  const std::uint64_t number = custom_counts_[{communicator, member}]++;
  add_to_collective(groups_.add_use(rank, node, communicator, member, std::nullopt),
                    kCustomOrder + number, rank, node, now);
}

void Recorder::add_to_collective(const RecordedGroups::OwnGroup& group, std::uint64_t order,
                                 std::uint32_t rank, graph::NodeId node, std::int64_t now) {
  if (by_order_.size() < groups_.classes()) by_order_.resize(groups_.classes());
  const graph::Collective& stated = run_.graph_of(rank).collective(node);
  const std::size_t known = recording_->collectives.size();
  const std::uint32_t number = find_or_add(group.group_class, order);
  CollectiveInstance& collective = recording_->collectives[number];
  if (number == known) {
    collective.type = stated.type;
    open_.push_back(number);
  }
  ++open_members_[number];
  collective.members += group.represented;
  collective.last_start = std::max(collective.last_start, now);
  collective.bytes = std::max(collective.bytes, stated.size.count());
  detail(rank, node).collective = number;
}

void Recorder::sent(std::uint32_t rank, graph::NodeId node, std::uint64_t bytes) {
  const std::uint32_t number = detail(rank, node).collective;
  if (number == kNone) return;
  CollectiveInstance& collective = recording_->collectives[number];
  collective.sent += bytes * groups_.represented(rank, collective.group_class);
  --open_members_[number];
}

void Recorder::add_predicted_phase(std::uint32_t rank, graph::NodeId node, std::uint32_t spec,
                                   std::int64_t duration) {
  const std::uint32_t collective = detail(rank, node).collective;
  if (collective == kNone) return;
  if (collective >= library_times_.size())
    library_times_.resize(recording_->collectives.size(), -1);
  if (duration <= library_times_[collective]) return;
  library_times_[collective] = duration;
  recording_->collectives[collective].predicted = spec;
}

void Recorder::memory_served(std::uint32_t rank, graph::NodeId node, std::int64_t lost) {
  detail(rank, node).queue = lost;
}

std::optional<std::int64_t> Recorder::last_arrival(std::uint32_t rank, graph::NodeId node) const {
  const std::uint32_t number = detail(rank, node).collective;
  if (number == kNone) return std::nullopt;
  const CollectiveInstance& collective = recording_->collectives[number];
  if (collective.members < groups_.size(collective.group_class)) return std::nullopt;
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
  NodeDetail& made = detail(rank, node);
  made.queue = queue;
  made.latency = latency;
}

void Recorder::traffic(std::uint32_t rank, std::uint32_t dim, std::int64_t bytes, std::int64_t from,
                       std::int64_t until) {
  if (links_) return;
  if (by_dimension_) return add_traffic(dim, from, until, bytes, run_.weight(rank));
  add_traffic(rank * run_.fabric.dim_count() + dim, from, until, bytes, 1);
}

void Recorder::add_traffic(std::size_t slot, std::int64_t from, std::int64_t until,
                           std::int64_t bytes, std::uint32_t times) {
  traffic_.add(slot, from, until, bytes, times);
  if (in_window_ && bytes > 0) window_traffic_.push_back({slot, from, until, bytes, times});
}

void Recorder::add_message(std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                           std::int64_t now, std::int64_t delay) {
  if (links_ || delay >= model::MultiDimFabric::kTooLong) return;
  for (std::size_t d = 0; d < run_.fabric.dim_count(); ++d) {
    if (run_.fabric.coordinate(from, d) == run_.fabric.coordinate(to, d)) continue;
    traffic(run_.folded_workload.rank_for(from), static_cast<std::uint32_t>(d), bytes, now,
            now + delay);
  }
}

void Recorder::carries(std::uint32_t link, std::int64_t from, std::int64_t until,
                       std::int64_t bytes, std::uint32_t times) {
  if (!by_dimension_) return traffic_.add(link, from, until, bytes, times);
  const std::size_t dims = run_.fabric.dim_count();
  for (std::size_t dim = 0; dim < dims; ++dim) {
    if (const std::uint32_t links = represented_[link * dims + dim]; links > 0)
      traffic_.add(dim, from, until, bytes, times * links);
  }
}

DetailedNodes::DetailedNodes(const graph::Graph& graph) : numbers_(graph.size(), kNone) {
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    const graph::NodeKind kind = graph.kind(node);
    const bool accesses_memory =
        kind == graph::NodeKind::mem_load || kind == graph::NodeKind::mem_store;
    if (kind != graph::NodeKind::coll && !graph::is_message(kind) && !accesses_memory) continue;
    numbers_[node] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
  }
}

std::int64_t Recording::uncontended_time(std::uint32_t from, std::uint32_t to,
                                         std::int64_t bytes) const {
  return network->uncontended_time(from, to, bytes);
}

// The ports of a rank carry what those of its simulated rank carry.
void Recorder::finish_ports() {
  const auto dims = static_cast<std::uint32_t>(run_.fabric.dim_count());
  for (std::uint32_t real = 0; real < run_.fabric.rank_count(); ++real) {
    const std::size_t first = std::size_t{run_.folded_workload.rank_for(real)} * dims;
    for (std::uint32_t dim = 0; dim < dims; ++dim) {
      if (traffic_.total(first + dim) == 0) continue;
      const auto curve = traffic_.curve(first + dim);
      RecordedLink& link = recording_->links.emplace_back();
      link.dim = dim;
      link.from = real;
      link.share = run_.fabric.port(real, dim).share;
      link.bytes = traffic_.total(first + dim);
      link.bins.assign(curve.begin(), curve.end());
    }
  }
}

void Recorder::finish_slots() {
  recording_->packets = run_.network.packet_record();
  std::vector<PortPacketSeries> none;
  std::vector<PortPacketSeries>& ports = recording_->packets ? recording_->packets->ports : none;
  auto port = ports.begin();  // the next one
  for (std::uint32_t number = 0; number < traffic_.slots(); ++number) {
    const std::size_t slot = by_dimension_ ? number : reported_as(number);
    const bool has_packets = port != ports.end() && port->link == number;
    if (traffic_.total(slot) == 0 && !has_packets) continue;
    if (has_packets) port++->link = static_cast<std::uint32_t>(recording_->links.size());
    RecordedLink& link = recording_->links.emplace_back();
    link.dim = number;
    if (!by_dimension_) {
      const model::LinkPlace about = run_.network.link(number);
      link.dim = about.dim;
      link.from = about.from;
      link.to = about.to;
      link.down = about.down;
      link.name = about.name;
      link.kind = about.kind;
      link.capacity = about.bytes_per_second;
    }
    if (link.from != kNone && link.name.empty())
      link.share = run_.fabric.port(link.from, link.dim).share;
    link.bytes = traffic_.total(slot);
    const auto curve = traffic_.curve(slot);
    link.bins.assign(curve.begin(), curve.end());
  }
}

// Folded ranks differ.
void Recorder::find_equal_times() {
  if (!run_.folded_workload.is_folded()) {
    first_equal_ = sim::find_equal_times(run_.shared.graphs, run_.shared.layout, run_.shared.times);
    return;
  }
  first_equal_.resize(run_.folded_workload.ranks());
  std::iota(first_equal_.begin(), first_equal_.end(), 0u);
}

// Stores only distinct times, if that frees at least half of the memory.
void Recorder::finish_times(std::vector<NodeTimes> times) {
  const NodeLayout& layout = run_.shared.layout;
  std::size_t distinct = 0;
  for (std::uint32_t rank = 0; rank < first_equal_.size(); ++rank)
    if (first_equal_[rank] == rank) distinct += run_.graph_of(rank).size();
  const bool copies = distinct <= times.size() / 2;
  if (copies) recording_->times.reserve(distinct);
  std::vector<Recording::NodeIndices> stored(first_equal_.size());
  for (std::uint32_t rank = 0; rank < stored.size(); ++rank) {
    if (first_equal_[rank] != rank) {
      stored[rank] = stored[first_equal_[rank]];
    } else if (copies) {
      stored[rank] = {recording_->times.size(), 1};
      const auto from = layout.of(rank, times.data());
      for (graph::NodeId node = 0; node < run_.graph_of(rank).size(); ++node)
        recording_->times.push_back(from[node]);
    } else {
      stored[rank] = {layout.index(rank, 0), layout.step(rank)};
    }
  }
  if (!copies) recording_->times = std::move(times);
  for (std::uint32_t real = 0; real < run_.workload.rank_count(); ++real)
    recording_->nodes_of.push_back(stored[run_.folded_workload.rank_for(real)]);
}

std::unique_ptr<Recording> Recorder::finish(std::vector<NodeTimes> times) && {
  recording_->class_of = run_.folded_workload.class_of();
  for (std::uint32_t real = 0; real < run_.workload.rank_count(); ++real)
    recording_->details_of.push_back(details_of_[run_.folded_workload.rank_for(real)]);
  finish_times(std::move(times));
  groups_.finish(*recording_);
  recording_->bin = traffic_.bin();
  if (links_ || by_dimension_) {
    finish_slots();
  } else {
    finish_ports();
  }
  return std::move(recording_);
}

}  // namespace orrery::sim
