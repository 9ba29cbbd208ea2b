// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/collective_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/text/text.h"
#include "orrery/sim/collectives/plans/chunk_requests.h"

namespace orrery::sim {

using graph::CollectiveType;
using platform::InterDimension;
using platform::SchedulingPolicy;

namespace {

/// Whether switches should run `dim`: configured, with more than one member, without a library.
bool is_for_switches(const model::LogicalDim& dim) {
  return platform::entry(dim.algorithm.algorithm).by_switches && dim.involved &&
         dim.ring.size > 1 && dim.library.nodes == 0;
}

}  // namespace

CollectiveRunner::CollectiveRunner(EngineRun& run, CollectivePlanner& planner, ChunkPool& chunks,
                                   ChunkQueues& queues, TimeAccounting& accounts,
                                   CollectiveObserver& observer,
                                   KernelInterference& kernel_interference)
    : run_(run),
      planner_(planner),
      chunks_(chunks),
      queues_(queues),
      accounting_(accounts),
      observer_(observer),
      kernel_interference_(kernel_interference),
      chooser_(std::make_shared<ChunkChooser>(run.platform)) {}

std::optional<std::uint32_t> CollectiveRunner::communicator_of(std::uint32_t rank,
                                                               graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const std::string_view name = graph.string(graph.collective(node).group);
  if (run_.policy.means_all(name)) return 0;
  const Communicators::Meaning meaning = accounting_.meaning_to_all(rank, node);
  const std::uint32_t found = meaning.of(run_.real(rank));
  if (found == Communicators::kUnknown) {
    run_.fail(
        {Errc::input_group, run_.place(rank, node),
         fmt::format("process group \"{}\" is not defined", name),
         fmt::format(
             "define its members with --groups FILE: {{{}: [0, 1]}}; otherwise they are inferred "
             "if at least two ranks communicate in it, in the same order and with the same sizes",
             in_quotes(name))});
    return std::nullopt;
  }
  // On an axis, each rank is a member of its own group.
  if (found == Communicators::kOutside ||
      (meaning.by_rank == nullptr && run_.communicators[found].place(run_.real(rank)) == kNone)) {
    run_.fail(
        {Errc::input_group, run_.place(rank, node),
         fmt::format("rank {} is not a member of process group \"{}\"", run_.real(rank), name),
         ""});
    return std::nullopt;
  }
  return run_.folded_workload.communicator(found);
}

std::uint32_t CollectiveRunner::known_communicator(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const std::string_view name = graph.string(graph.collective(node).group);
  if (run_.policy.means_all(name)) return 0;
  return run_.folded_workload.communicator(accounting_.meaning(rank, node));
}

std::int64_t CollectiveRunner::next_priority(std::uint32_t rank, graph::NodeId node) {
  RankState& state = run_.shared.states[rank];
  switch (run_.platform.collectives.policy) {
    case SchedulingPolicy::lifo:
      return state.next_priority++;
    case SchedulingPolicy::fifo:
      return state.next_priority--;
    case SchedulingPolicy::explicit_priority:
      break;
  }
  return run_.graph_of(rank).collective(node).priority;
}

void CollectiveRunner::begin(std::uint32_t rank, graph::NodeId node, CollectiveType type,
                             std::int64_t size) {
  const auto communicator = communicator_of(rank, node);
  if (!communicator) return;
  Communicator& group = run_.communicators[*communicator];
  const graph::Graph& graph = run_.graph_of(rank);
  const std::uint32_t mask = graph.has(node, graph::kHasDims) ? graph.collective(node).dims_mask
                                                              : run_.policy.default_dims;
  const auto number = planner_.topology(type, *communicator, group, group.dims(mask), size);
  if (!number) return run_.fail_at(rank, node, number.error());
  const model::LogicalTopology& topology = planner_.topology(*number);
  const bool ideal = run_.options.library == nullptr;
  const ChunkChooser::Selection* chosen =
      ideal && chooser_->is_requested() ? chooser_->choose(type, size, *number, topology) : nullptr;
  const std::int64_t chunks =
      chosen != nullptr ? chosen->chunks : chunk_count(run_.platform.collectives, run_.options);
  auto cutting = model::cut(type, size, chunks, run_.fabric.rank_count(), run_.platform.rules);
  if (!cutting) return run_.fail_at(rank, node, cutting.error());
  const bool resized = by_themis(topology) && type != CollectiveType::all_to_all;
  if (cutting->remainder_full && !resized) run_.note(FindingCode::remainder_chunk_full, rank, node);
  if (run_.policy.groups_are_rings && topology.sub_group && run_.fabric.dim_count() > 1) {
    run_.note(FindingCode::group_falls_back_to_ring, rank, node);
  }
  if (cutting->raised) run_.note(FindingCode::missing_chunk_raised, rank, node);
  const bool for_switches =
      std::any_of(topology.dims.begin(), topology.dims.end(), is_for_switches);
  if (for_switches &&
      CollectivePlanner::needs_end_points(type, graph.collective(node).exchange, topology))
    run_.note(FindingCode::collective_by_end_points, rank, node);
  else if (for_switches && planner_.switch_arithmetic().is_limited())
    note_numbers(rank, node, type, topology);
  const std::uint32_t op = new_operation(rank, node);
  if (run_.observer != nullptr)
    run_.observer->collective_begins(rank, node, *communicator, topology);
  issue_chunks(op, *communicator, type, *cutting, *number, chosen, next_priority(rank, node));
  if (!run_.error && --ops_[op].chunks_left == 0) collective_done(op);
}

/// Notes if switches that support only some number formats cannot reduce this collective.
void CollectiveRunner::note_numbers(std::uint32_t rank, graph::NodeId node, CollectiveType type,
                                    const model::LogicalTopology& topology) {
  const graph::Collective& collective = run_.graph_of(rank).collective(node);
  if (!model::is_reduction(type, collective.exchange)) return;
  if (collective.format == graph::Format::unsaid)
    return run_.note(FindingCode::collective_numbers_unsaid, rank, node);
  if (std::any_of(topology.dims.begin(), topology.dims.end(), [&](const model::LogicalDim& dim) {
        return is_for_switches(dim) &&
               !planner_.switch_arithmetic().can_add(dim, collective.format);
      }))
    run_.note(FindingCode::collective_not_added, rank, node);
}

// Notes the arrival if all members take part. (Collectives over some dimensions would be several at
// once.)
void CollectiveRunner::note_arrival(const Stream& first, graph::NodeId node,
                                    const model::LogicalTopology& topology) {
  const Chunk& block = chunks_.of(first);
  std::uint64_t meet = 1;
  for (const model::LogicalDim& dim : topology.dims)
    if (dim.involved) meet *= dim.ring.size;
  if (meet != run_.communicators[block.communicator].members) return;
  Arrivals& arrivals = run_.shared.arrivals[block.communicator];
  const std::uint32_t number = arrivals.number(block.number);
  arrivals.arrive(number, run_.now());
  run_.times_of(first.rank, node).sender = number;
}

std::uint32_t CollectiveRunner::new_operation(std::uint32_t rank, graph::NodeId node) {
  std::uint32_t op = static_cast<std::uint32_t>(ops_.size());
  if (free_ops_.empty()) {
    ops_.emplace_back();
  } else {
    op = free_ops_.back();
    free_ops_.pop_back();
  }
  ops_[op] = {rank, node, 1, 0};  // one more than its chunks, until all are issued
  return op;
}

void CollectiveRunner::issue_chunks(std::uint32_t op, std::uint32_t communicator,
                                    CollectiveType type, const model::Chunking& cutting,
                                    std::uint32_t topology_number,
                                    const ChunkChooser::Selection* chosen, std::int64_t priority) {
  const model::LogicalTopology& topology = planner_.topology(topology_number);
  const std::uint32_t rank = ops_[op].rank;
  const graph::NodeId node = ops_[op].node;
  ChunkRequest natural =
      natural_request(planner_, type, topology_number, run_.graph_of(rank).collective(node));
  const InterDimension policy = run_.platform.collectives.inter_dimension;
  const bool found = chosen != nullptr && !chosen->orders.empty();
  const bool ordered =
      by_themis(topology) || (policy == InterDimension::round_robin && !topology.sub_group);
  natural.two_phase = found && type == CollectiveType::all_reduce;
  std::size_t number = 0;
  if (ordered && (rank == 0 || !run_.policy.rank_0_leads))
    themis_of(communicator).begin(run_.now());  // in ASTRA-sim, rank 0 decides when
  ChunkPlan* plan = nullptr;
  for (std::int64_t left = cutting.bytes; left > 0 && !run_.error;) {
    Stream& stream = chunks_.open(communicator, rank, node);
    if (left == cutting.bytes && run_.pages == nullptr) note_arrival(stream, node, topology);
    std::int64_t bytes = left > cutting.chunk ? cutting.chunk : cutting.last;
    if (plan == nullptr || ordered || found || bytes != natural.bytes) {
      natural.bytes = bytes;
      ChunkRequest request = natural;
      if (ordered) order_chunk(stream, request, left, cutting.chunk, topology);
      if (found) request.order = chosen->orders[number++ % chosen->orders.size()];
      plan = planner_.plan(request);
      bytes = request.bytes;
    }
    left -= bytes;
    auto list = planner_.choose_queues(*plan, type, topology, run_.shared.pointers[rank]);
    if (!list) return run_.fail_at(rank, node, list.error());
    stream.op = op;
    stream.phases = *list;
    stream.phase = 0;
    stream.priority = priority;
    ++ops_[op].chunks_left;
    const PhaseList& phases = planner_.list(stream.phases);
    if (phases.empty()) {
      if (run_.communicators[communicator].members > 1 && left == 0)
        run_.note(FindingCode::masked_collective, rank, node);
      chunk_done(stream);
      continue;
    }
    queues_.issue(stream, plan, node);
  }
}

// ASTRA rules: every rank rotates independently, so that ranks that issue collectives of several
// groups in different orders run different phases. Orrery rules: the first rank that issues a chunk
// decides for all.
std::vector<std::uint8_t> CollectiveRunner::next_rotation(const Stream& stream, std::size_t dims,
                                                          bool gather) {
  ORRERY_CHECK(dims > 0);
  Chunk& block = chunks_.of(stream);
  if (run_.policy.ranks_agree && block.dims_order.size() == dims) return block.dims_order;
  std::uint8_t& first = run_.shared.round_robin[stream.rank];
  std::vector<std::uint8_t> order;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t d = (first + i) % dims;
    order.push_back(static_cast<std::uint8_t>(gather ? dims - 1 - d : d));
  }
  first = static_cast<std::uint8_t>((first + 1u) % dims);
  block.dims_order = order;
  return order;
}

Themis& CollectiveRunner::themis_of(std::uint32_t communicator) {
  const std::uint32_t number = run_.policy.themis_knows_groups ? communicator : 0;
  return themis_.try_emplace(number, run_.platform).first->second;
}

bool CollectiveRunner::by_themis(const model::LogicalTopology& topology) const {
  return platform::is_themis(run_.platform.collectives.inter_dimension) &&
         (run_.policy.themis_knows_groups || !topology.sub_group);
}

// Sets the dimension order of a chunk, and under Themis its size: `chunk`, fewer if only `left`
// bytes remain, or the size that levels the loads. The first rank that issues the chunk decides for
// all.
void CollectiveRunner::order_chunk(const Stream& stream, ChunkRequest& request, std::int64_t left,
                                   std::int64_t chunk, const model::LogicalTopology& topology) {
  const InterDimension policy = run_.platform.collectives.inter_dimension;
  const bool gather = request.type == CollectiveType::all_gather;
  if (policy == InterDimension::round_robin) {
    request.order = next_rotation(stream, topology.dims.size(), gather);
    return;
  }
  if (request.type == CollectiveType::all_to_all) return;
  request.two_phase = has_two_phases(run_.platform.collectives, run_.policy, request.type);
  Chunk& block = chunks_.of(stream);
  if (block.chunk == 0) {
    static const PhaseSpeeds as_linked;
    const PhaseSpeeds& speeds = run_.policy.themis_knows_groups
                                    ? chooser_->speeds(request.type, request.topology, topology,
                                                       policy == InterDimension::themis_published)
                                    : as_linked;
    Themis::Decision decision = themis_of(block.communicator)
                                    .next(request.type, chunk, left, topology,
                                          policy == InterDimension::themis_flex, speeds);
    block.dims_order = std::move(decision.order);
    block.chunk = decision.bytes;
  }
  for (const std::uint8_t d :
       block.dims_order) {  // the first rank may have issued a collective with other dimensions
    if (d < topology.dims.size()) request.order.push_back(d);
  }
  request.bytes = block.chunk;
}

void CollectiveRunner::on_phase_end(Stream& stream) {
  const std::uint32_t rank = stream.rank;
  const PhaseList& phases = planner_.list(stream.phases);
  const std::uint32_t queue = phases[stream.phase].queue;
  const std::uint64_t bytes = stream.spec->bytes_of(stream.sent);
  run_.shared.results[rank].sent_bytes += bytes;
  ops_[stream.op].sent += bytes;
  queues_.note_gather(rank, queue, stream);
  if (run_.observer != nullptr) run_.observer->phase_ends(stream);
  if (kernel_interference_.is_enabled()) kernel_interference_.phase_ends(stream);
  stream.spec = nullptr;
  stream.balances.clear();
  ++stream.phase;
  const bool done = stream.phase == phases.size();
  const std::uint32_t next = done ? kNone : phases[stream.phase].queue;
  if (done) {
    chunk_done(stream);
  } else {
    queues_.enqueue(stream);
  }
  queues_.release(rank, queue);
  queues_.pump(rank, queue);
  if (next != kNone && next != queue) queues_.pump(rank, next);
}

void CollectiveRunner::chunk_done(Stream& stream) {
  const std::uint32_t op = stream.op;
  if (run_.observer != nullptr && ops_[op].chunks_left == 1) run_.observer->last_chunk_ends(stream);
  stream.op = kNone;
  chunks_.close(stream);
  if (--ops_[op].chunks_left == 0) collective_done(op);
}

void CollectiveRunner::collective_done(std::uint32_t op) {
  const CollectiveOp done = std::exchange(ops_[op], {});
  free_ops_.push_back(op);
  accounting_.sent(done.rank, done.node, done.sent);
  observer_.on_collective_end(done.rank, done.node);
}

void CollectiveRunner::count_sent_so_far() {
  for (CollectiveOp& op : ops_) {
    if (op.sent > 0) accounting_.sent(op.rank, op.node, std::exchange(op.sent, 0));
  }
}

void CollectiveRunner::save(StateWriter& to) const {
  to(static_cast<std::uint64_t>(themis_.size()));
  for (const auto& [group, loads] : themis_) to(group, loads);
  to(chooser_->chosen(), ops_, free_ops_);
}

void CollectiveRunner::load(StateReader& from) {
  for (std::size_t left = from.count(); left > 0 && !from.failed(); --left)
    from(themis_of(from.take<std::uint32_t>()));
  for (const auto& [type, size, number] : from.take<std::vector<ChunkChooser::Key>>()) {
    from.require(number < planner_.topology_count());
    if (!from.failed()) (void)chooser_->choose(type, size, number, planner_.topology(number));
  }
  from(ops_, free_ops_);
}

}  // namespace orrery::sim
