// SPDX-License-Identifier: Apache-2.0
//
// Collectives: cut into chunks, chunks wait in dimension queues, phases run one after another.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/sim/engine.h"

namespace orrery::sim {

using graph::CollectiveType;
using platform::InterDimension;
using platform::SchedulingPolicy;

std::optional<std::uint32_t> Engine::communicator_of(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const std::string_view name = graph.string(graph.collective(node).group);
  if (name.empty() || (run_.astra() && name == "0")) return 0;
  const std::uint32_t found = accounts_.meaning(rank, node);
  if (found == Communicators::kUnknown) {
    run_.fail({Errc::input_group, run_.place(rank, node),
               fmt::format("process group \"{}\" is not defined", name),
               "--groups FILE gives the groups that belong to this trace: {\"NAME\": [ranks]}"});
    return std::nullopt;
  }
  if (found == Communicators::kOutside ||
      run_.communicators[found].place(run_.real(rank)) == kNone) {
    run_.fail(
        {Errc::input_group, run_.place(rank, node),
         fmt::format("rank {} is not a member of process group \"{}\"", run_.real(rank), name),
         ""});
    return std::nullopt;
  }
  return run_.alike(found);
}

void Engine::start_collective(std::uint32_t rank, graph::NodeId node) {
  const graph::Graph& graph = run_.graph_of(rank);
  const graph::Collective& collective = graph.collective(node);
  if (!run_.astra() && nodes_.takes_recorded_time(rank, node)) {
    run_.note(FindingCode::collective_replayed, rank, node);
    return agendas_.at(rank, graph.duration(node).count(),
                       {.arg = node, .kind = LocalKind::node_done});
  }
  if (!graph.has(node, graph::kHasCommType) || !graph.has(node, graph::kHasCommSize)) {
    return run_.fail({Errc::input_missing_attr, run_.place(rank, node),
                      "a collective lacks comm_type or comm_size", ""});
  }
  if (const std::string* algorithm = customs_.algorithm(rank, node, collective.type)) {
    const auto communicator = communicator_of(rank, node);
    return communicator ? customs_.begin(rank, node, *communicator, *algorithm) : void();
  }
  const auto size = collective.size.count();
  const auto members = [&]() -> std::int64_t {
    const auto communicator = communicator_of(rank, node);
    return communicator ? run_.communicators[*communicator].members : 1;
  };
  if (model::plan_for(run_.platform.collectives, collective.type) != nullptr) {
    return begin_collective(rank, node, collective.type, size);
  }
  if (run_.astra() && collective.type == CollectiveType::broadcast) {
    run_.note(FindingCode::collective_without_traffic, rank, node);
    const std::int64_t recorded = graph.duration(node).count();
    return agendas_.at(rank, recorded > 0 ? recorded : kShortest.count(),
                       {.arg = node, .kind = LocalKind::node_done});
  }
  if (run_.astra() || collective.type == CollectiveType::unknown) {
    return run_.fail(
        {Errc::input_unsupported, run_.place(rank, node),
         fmt::format("collective type {} cannot be simulated", graph::name(collective.type)), ""});
  }
  // Orrery rules: the bandwidth cost of the pipelined form, in terms of the four that have
  // algorithms.
  run_.note(FindingCode::collective_approximated, rank, node);
  switch (collective.type) {
    case CollectiveType::broadcast:
    case CollectiveType::scatter:
    case CollectiveType::gather: {
      const std::int64_t n = members();
      return run_.error
                 ? void()
                 : begin_collective(rank, node, CollectiveType::all_gather, (size + n - 1) / n);
    }
    case CollectiveType::barrier: {
      const std::int64_t n = members();
      return run_.error ? void() : begin_collective(rank, node, CollectiveType::all_reduce, n);
    }
    default:
      return begin_collective(rank, node, CollectiveType::reduce_scatter, size);
  }
}

std::int64_t Engine::next_priority(std::uint32_t rank, graph::NodeId node) {
  RankState& state = run_.ground.states[rank];
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

void Engine::begin_collective(std::uint32_t rank, graph::NodeId node, CollectiveType type,
                              std::int64_t size) {
  const auto communicator = communicator_of(rank, node);
  if (!communicator) return;
  Communicator& group = run_.communicators[*communicator];
  const graph::Graph& graph = run_.graph_of(rank);
  const std::uint32_t everywhere =
      run_.astra() ? 0xfu : ~0u;  // without the attribute ASTRA-sim assumes four dimensions
  const std::uint32_t mask =
      graph.has(node, graph::kHasDims) ? graph.collective(node).dims_mask : everywhere;
  const auto number = planner_.topology(type, *communicator, group, group.dims(mask));
  if (!number)
    return run_.fail({number.error().code, run_.place(rank, node) + ": " + number.error().where,
                      number.error().what, number.error().hint});
  const model::LogicalTopology& topology = planner_.topology(*number);
  auto cutting = model::cut(type, size, run_.platform.collectives.splits, run_.fabric.rank_count(),
                            run_.platform.rules);
  if (!cutting)
    return run_.fail({cutting.error().code, run_.place(rank, node) + ": " + cutting.error().where,
                      cutting.error().what, cutting.error().hint});
  const InterDimension order = run_.platform.collectives.inter_dimension;
  const bool resized = (order == InterDimension::themis || order == InterDimension::themis_flex) &&
                       type != CollectiveType::all_to_all && !topology.sub_group;
  if (cutting->remainder_full && !resized) run_.note(FindingCode::remainder_chunk_full, rank, node);
  if (run_.astra() && topology.sub_group && run_.fabric.dim_count() > 1) {
    run_.note(FindingCode::group_falls_back_to_ring, rank, node);
  }
  if (cutting->raised) run_.note(FindingCode::missing_chunk_raised, rank, node);
  std::uint32_t op = static_cast<std::uint32_t>(ops_.size());
  if (free_ops_.empty()) {
    ops_.emplace_back();
  } else {
    op = free_ops_.back();
    free_ops_.pop_back();
  }
  ops_[op] = {rank, node, 1, 0};  // one more than its chunks, until all are issued
  if (run_.recorder) note_join(rank, node, *communicator, topology);
  issue_chunks(op, *communicator, type, *cutting, *number, next_priority(rank, node));
  if (!run_.error && --ops_[op].chunks_left == 0) collective_done(op);
}

void Engine::issue_chunks(std::uint32_t op, std::uint32_t communicator, CollectiveType type,
                          const model::Chunking& cutting, std::uint32_t topology_number,
                          std::int64_t priority) {
  Communicator& group = run_.communicators[communicator];
  const model::LogicalTopology& topology = planner_.topology(topology_number);
  const std::uint32_t rank = ops_[op].rank;
  const graph::NodeId node = ops_[op].node;
  ChunkRequest natural;
  natural.type = type;
  natural.topology = topology_number;
  const bool ordered =
      run_.platform.collectives.inter_dimension != InterDimension::ascending && !topology.sub_group;
  if (ordered && (rank == 0 || !run_.astra()))
    themis_.begin(run_.now());  // the reference lets rank 0 decide when
  ChunkPlan* plan = nullptr;
  for (std::int64_t left = cutting.bytes; left > 0 && !run_.error;) {
    Stream& stream = new_stream(communicator, group, rank, node);
    std::int64_t bytes = left > cutting.chunk ? cutting.chunk : cutting.last;
    if (plan == nullptr || ordered || bytes != natural.bytes) {
      natural.bytes = bytes;
      ChunkRequest request = natural;
      if (ordered) order_chunk(stream, request, left, cutting.chunk, topology);
      plan = planner_.plan(request);
      bytes = request.bytes;
    }
    left -= bytes;
    auto list = planner_.choose_queues(*plan, type, topology, run_.ground.pointers[rank]);
    if (!list) {
      return run_.fail({list.error().code, run_.place(rank, node) + ": " + list.error().where,
                        list.error().what, list.error().hint});
    }
    stream.op = op;
    stream.phases = run_.astra() ? *list : common_phases(blocks_[stream.block], plan, *list);
    stream.phase = 0;
    stream.priority = priority;
    ++ops_[op].chunks_left;
    const PhaseList& phases = planner_.list(stream.phases);
    if (phases.empty()) {
      if (group.members > 1 && left == 0) run_.note(FindingCode::masked_collective, rank, node);
      chunk_done(stream);
      continue;
    }
    enqueue(stream);
    pump(rank, phases[0].queue);
  }
}

// Orrery rules: the first that issues a chunk chooses the queues for all, so that ranks cannot
// disagree on the direction of a ring.
std::uint32_t Engine::common_phases(Block& block, const ChunkPlan* plan, std::uint32_t chosen) {
  if (block.plan == nullptr) {
    block.plan = plan;
    block.phases = chosen;
  } else if (run_.folded && block.phases != chosen && block.order.issued == run_.now() &&
             run_.communicators[block.communicator].stands_for_several) {
    doubt_order();
  }
  return block.plan == plan ? block.phases : chosen;
}

void Engine::enqueue(Stream& stream) {
  stream.spec = nullptr;
  stream.waiting_since = run_.now();
  if (run_.recorder) note_queued(stream);
  const std::uint32_t number = planner_.list(stream.phases)[stream.phase].queue;
  ChunkQueue& queue =
      run_.ground.queues[stream.rank * std::size_t{planner_.queue_count()} + number];
  if (run_.astra() || run_.platform.collectives.intra_dimension != platform::IntraDimension::rg)
    return insert_waiting(queue, stream);
  stream.next_waiting = std::exchange(queue.arrived, &stream);
}

void Engine::start_waiting(std::uint64_t number) {
  ChunkQueue& queue = run_.ground.queues[number];
  if (queue.arrived != nullptr) insert_arrived(queue);
  const auto q = run_.platform.collectives.queues_per_dim;
  const auto limit =
      static_cast<std::uint32_t>((run_.platform.collectives.active_chunks + q - 1) / q);
  while (queue.first != nullptr && queue.running < limit) {
    Stream& stream = *queue.first;
    queue.first = std::exchange(stream.next_waiting, nullptr);
    ++queue.running;
    begin_phase(stream);
  }
}

// By the phase that runs; trees count theirs as they send.
std::uint64_t Engine::bytes_sent(const Stream& stream) {
  const std::vector<model::Step>& steps = stream.spec->step;
  if (steps.size() == 1) return static_cast<std::uint64_t>(steps.front().bytes) * stream.sent;
  std::uint64_t bytes = 0;
  for (std::uint32_t packet = 0; packet < stream.sent; ++packet) {
    bytes += static_cast<std::uint64_t>(steps[packet].bytes);
  }
  return bytes;
}

// For the RG order of queues.
void Engine::note_gather(ChunkQueue& queue, const Stream& stream) {
  const bool gather = stream.spec->request.type == CollectiveType::all_gather;
  if (run_.astra()) {
    run_.ground.last_was_gather[stream.rank] = gather;
    return;
  }
  if (run_.platform.collectives.intra_dimension != platform::IntraDimension::rg) return;
  const Block& block = blocks_[stream.block];
  if (queue.last_at == run_.now()) {
    const std::uint32_t other = queue.last_group;
    if (run_.folded && gather != queue.last_was_gather && other != block.communicator &&
        (run_.communicators[block.communicator].stands_for_several ||
         run_.communicators[other].stands_for_several))
      doubt_order();
    if (block.order < queue.last_chunk) return;
  }
  queue.last_at = run_.now();
  queue.last_chunk = block.order;
  queue.last_group = block.communicator;
  queue.last_was_gather = gather;
}

void Engine::end_phase(Stream& stream) {
  const std::uint32_t rank = stream.rank;
  const PhaseList& phases = planner_.list(stream.phases);
  const std::uint32_t queue = phases[stream.phase].queue;
  const std::uint64_t bytes = bytes_sent(stream);
  run_.ground.seats[rank].sent_bytes += bytes;
  ops_[stream.op].sent += bytes;
  note_gather(run_.ground.queues[rank * std::size_t{planner_.queue_count()} + queue], stream);
  if (run_.recorder) note_end(stream);
  stream.spec = nullptr;
  stream.balances.reset();
  ++stream.phase;
  const bool done = stream.phase == phases.size();
  const std::uint32_t next = done ? kNone : phases[stream.phase].queue;
  if (done) {
    chunk_done(stream);
  } else {
    enqueue(stream);
  }
  --run_.ground.queues[rank * std::size_t{planner_.queue_count()} + queue].running;
  pump(rank, queue);
  if (next != kNone && next != queue) pump(rank, next);
}

void Engine::chunk_done(Stream& stream) {
  const std::uint32_t op = stream.op;
  Block& block = blocks_[stream.block];
  stream.op = kNone;
  if (run_.recorder && ops_[op].chunks_left == 1 && !block.history.empty()) {
    const ChunkHistory& history = block.history[stream.member];
    run_.recorder->done(ops_[op].rank, ops_[op].node, history.queue, history.latency);
  }
  if (++block.done == block.slots) drop_block(stream.block);
  if (--ops_[op].chunks_left == 0) collective_done(op);
}

void Engine::collective_done(std::uint32_t op) {
  const CollectiveOp done = std::exchange(ops_[op], {});
  free_ops_.push_back(op);
  accounts_.sent(done.rank, done.node, done.sent);
  nodes_.complete(done.rank, done.node);
}

// Collectives that never end have sent something, too.
void Engine::count_sent_so_far() {
  for (CollectiveOp& op : ops_) {
    if (op.sent > 0) accounts_.sent(op.rank, op.node, std::exchange(op.sent, 0));
  }
}

}  // namespace orrery::sim
