// SPDX-License-Identifier: Apache-2.0
#include "random_platforms.h"

#include <bit>

namespace orrery::scale {

using namespace platform;

namespace {

Dimension draw_dimension(Draw& draw, std::size_t of) {
  Dimension dim;
  dim.block = draw.of({Block::ring, Block::fully_connected, Block::switched, Block::switched});
  dim.size = draw.of<std::int64_t>({1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8});
  if (of == 1) dim.size = draw.of<std::int64_t>({2, 3, 4, 8, 8, 12, 16, 24, 32});
  dim.bandwidth = Bandwidth(draw.of({1e9, 1e9, 2e9, 3e9, 7.3e8, 1.234567e9}));
  dim.latency_ns = draw.of({0.0, 0.0, 1.0, 500.0, 1000.0, 1024.0, 250.5});
  return dim;
}

AlgorithmSpec draw_algorithm(Draw& draw, std::int64_t size, bool all_reduce) {
  const bool even = std::has_single_bit(static_cast<std::uint64_t>(size));
  switch (draw.between(0, 9)) {
    case 0:
    case 1:
      return {Algorithm::direct, draw.of<std::int64_t>({-1, -1, 1, 2, 3})};
    case 2:
    case 3:
      if (even || draw.one_in(50)) return {Algorithm::halving_doubling, -1};
      return {Algorithm::direct, -1};
    case 4:
      if (all_reduce && even) return {Algorithm::double_binary_tree, -1};
      return {Algorithm::ring, -1};
    default:
      return {Algorithm::ring, -1};
  }
}

CollectivePlan draw_plan(Draw& draw, const Platform& machine, bool all_reduce) {
  CollectivePlan plan;
  const std::int64_t world = machine.npu_count();
  if (draw.one_in(12)) {
    plan.per_dim = {{draw.of({Algorithm::ring, Algorithm::direct}), -1, true}};
    if (std::has_single_bit(static_cast<std::uint64_t>(world)) && draw.one_in(3))
      plan.per_dim = {{Algorithm::halving_doubling, -1, true}};
    return plan;
  }
  for (const Dimension& dim : machine.dims)
    plan.per_dim.push_back(draw_algorithm(draw, dim.size, all_reduce));
  return plan;
}

void draw_collectives(Draw& draw, Platform& machine) {
  CollectiveConfig& config = machine.collectives;
  config.policy = draw.of(
      {SchedulingPolicy::lifo, SchedulingPolicy::fifo, SchedulingPolicy::explicit_priority});
  config.optimization =
      draw.of({CollectiveOptimization::baseline, CollectiveOptimization::local_bw_aware,
               CollectiveOptimization::local_bw_aware});
  config.inter_dimension =
      draw.of({InterDimension::ascending, InterDimension::ascending, InterDimension::round_robin,
               InterDimension::themis, InterDimension::themis_flex,
               InterDimension::themis_published, InterDimension::best});
  config.intra_dimension =
      draw.of({IntraDimension::fifo, IntraDimension::fifo, IntraDimension::rg,
               IntraDimension::smallest_first, IntraDimension::less_remaining_phases_first});
  config.splits = draw.of<std::int64_t>({1, 1, 2, 3, 4, 8});
  config.splits_by_model = draw.one_in(8);
  config.active_chunks = draw.between(1, 3);
  config.queues_per_dim = draw.between(1, 2);
  config.all_reduce = draw_plan(draw, machine, true);
  config.all_gather = draw_plan(draw, machine, false);
  config.reduce_scatter = draw_plan(draw, machine, false);
  config.all_to_all = draw_plan(draw, machine, false);
  config.endpoint_delay = draw.of({ns(0), ns(0), ns(10), us(1)});
  config.rendezvous = draw.one_in(8);
  if (draw.one_in(12)) machine.shared_bus = SharedBus{10, 5, 2, 0.002, 1};
}

void draw_device(Draw& draw, Platform& machine) {
  machine.device.peak = FlopRate(1e12);
  machine.device.memory = Bandwidth(draw.of({0.0, 1e9, 2.9e10}));
  if (draw.one_in(3) && machine.device.memory.count() > 0)
    machine.device.compute = TimeSource::automatic;
  machine.replay_only = draw.one_in(40);
  if (machine.device.memory.count() > 0 && draw.one_in(3)) return;
  RemoteMemory& memory = machine.remote_memory;
  memory.kind = draw.of({RemoteMemoryKind::per_npu, RemoteMemoryKind::per_npu,
                         RemoteMemoryKind::per_npu, RemoteMemoryKind::pool});
  memory.latency = draw.of({ns(0), ns(300)});
  memory.bandwidth = Bandwidth(1e9);
}

Deviation draw_deviation(Draw& draw, const Platform& machine) {
  Deviation deviation;
  if (draw.one_in(2)) deviation.compute_time = draw.of({1.5, 2.0, 1.07});
  if (draw.one_in(2)) deviation.start = draw.of({ns(1024), us(3), ps(1)});
  for (std::uint32_t dim = 0; dim < machine.dims.size(); ++dim) {
    if (draw.one_in(3)) deviation.ports.push_back({dim, draw.of({1.0, 0.5, 0.9}), 0});
    if (!deviation.ports.empty() && deviation.ports.back().dim == dim)
      deviation.ports.back().latency_ns = draw.of({0.0, 77.0});
  }
  return deviation;
}

}  // namespace

Platform draw_machine(Draw& draw) {
  for (;;) {
    Platform machine;
    const std::size_t dims = draw.below(3) + 1;
    for (std::size_t d = 0; d < dims; ++d) machine.dims.push_back(draw_dimension(draw, dims));
    const std::int64_t world = machine.npu_count();
    if (world < 2 || world > 64 || (world > 24 && !draw.one_in(3))) continue;
    draw_collectives(draw, machine);
    draw_device(draw, machine);
    if (draw.one_in(16)) machine.network = NetworkModelKind::message;
    return machine;
  }
}

void draw_deviations(Draw& draw, Platform& machine, std::uint32_t equivalent) {
  const auto world = static_cast<std::uint32_t>(machine.npu_count());
  Deviation deviation = draw_deviation(draw, machine);
  if (draw.one_in(3)) {
    deviation.ranks = draw.some(static_cast<std::uint32_t>(draw.between(1, 2)), world);
  } else {
    const auto place = static_cast<std::uint32_t>(draw.below(equivalent));
    for (std::uint32_t rank = place; rank < world; rank += equivalent)
      deviation.ranks.push_back(rank);
  }
  machine.deviations.push_back(deviation);
}

}  // namespace orrery::scale
