// SPDX-License-Identifier: Apache-2.0
//
// Rings and chains.
#include <algorithm>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

std::uint32_t position_behind(std::uint32_t position, std::uint32_t back, std::uint32_t ranks) {
  return (position + ranks - back % ranks) % ranks;
}

using Orders = std::vector<std::vector<std::uint32_t>>;

// Each chunk travels around the ring to its owner and accumulates the contribution of each rank
// (`scatter`), or from its owner to all ranks. With several rings, each ring carries a part of
// every rank's chunks.
void around_rings(PlanProgram& program, const Orders& rings, PlanBuffer buffer, bool scatter) {
  const auto ranks = static_cast<std::uint32_t>(rings.front().size());
  const auto count = static_cast<std::uint32_t>(rings.size());
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t at = 0; at < ranks; ++at) {
        const std::uint32_t back = round + (scatter ? 1 : 0);
        const std::uint32_t chunk = rings[r][position_behind(at, back, ranks)] * count + r;
        program.send({rings[r][at], buffer, chunk, 1},
                     {rings[r][(at + 1) % ranks], buffer, chunk, 1}, scatter, r);
      }
    }
  }
}

/// The order in a host of `size` ranks: from `in` through all others, the last is `out`. A single
/// ring enters and leaves on one rail: there the last is the one before `in`.
std::vector<std::uint32_t> way_through_host(std::uint32_t size, std::uint32_t in,
                                            std::uint32_t out) {
  std::vector<std::uint32_t> way{in};
  if (size == 1) return way;
  if (out == in) out = (in + size - 1) % size;
  // Away from `out`, so that neighbors follow each other where `out` is a neighbor of `in`.
  const bool up = (in + 1) % size == out;
  for (std::uint32_t i = 1; i < size; ++i)
    if (const std::uint32_t next = (up ? in + size - i : in + i) % size; next != out)
      way.push_back(next);
  way.push_back(out);
  return way;
}

// One ring per rank of the smallest host. A ring enters a host at the rank on the rail where it
// left the previous host. Of equal hosts, the rings use all network ports, once per direction, and
// never change rails between hosts.
Orders rings_over_rails(const AlgorithmShape& shape) {
  std::vector<std::uint32_t> sizes = shape.unequal_hosts;
  if (sizes.empty()) sizes.assign(shape.ranks / shape.inner, shape.inner);
  const std::uint32_t count = ring_count(shape);
  // With an even number of hosts a ring alternates between two rails; with an odd number it uses
  // one rail after another.
  const bool even = sizes.size() % 2 == 0;
  Orders rings(count);
  for (std::uint32_t r = 0; r < count; ++r) {
    std::uint32_t first = 0;  // rank of the host
    for (std::uint32_t host = 0; host < sizes.size(); ++host) {
      const std::uint32_t in = (even ? r + host % 2 : r + host) % count;
      const std::uint32_t out = (even ? r + 1 - host % 2 : r + host + 1) % count;
      for (const std::uint32_t rank : way_through_host(sizes[host], in, out))
        rings[r].push_back(first + rank);
      first += sizes[host];
    }
  }
  for (std::uint32_t chunk = 1; chunk < shape.ring_chunks; ++chunk)
    for (std::uint32_t r = 0; r < count; ++r) rings.push_back(rings[r]);
  return rings;
}

// A reduce-scatter, an all-gather, or an all-reduce by both.
Plan plan_over_rings(const char* name, CollectiveType type, const Orders& rings) {
  const auto ranks = static_cast<std::uint32_t>(rings.front().size());
  return scatter_gather_plan(name, type, ranks, ranks * static_cast<std::uint32_t>(rings.size()),
                             [&](PlanProgram& program, PlanBuffer buffer, bool scatter) {
                               around_rings(program, rings, buffer, scatter);
                             });
}

// The order of the ring, starting at the root.
std::vector<std::uint32_t> chain_of(const AlgorithmShape& shape) {
  std::vector<std::uint32_t> order = ring_of(shape);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), shape.root), order.end());
  return order;
}

}  // namespace

Plan ring_plan(CollectiveType type, const AlgorithmShape& shape) {
  return plan_over_rings("ring", type, {ring_of(shape)});
}

Plan rings_plan(CollectiveType type, const AlgorithmShape& shape) {
  return plan_over_rings("rings", type, rings_over_rails(shape));
}

Plan chain_plan(CollectiveType type, const AlgorithmShape& shape) {
  const bool reduces = type == CollectiveType::reduce;
  PlanProgram program("chain", type, shape.ranks, {shape.pieces, 0, 0}, true);
  program.set_root(shape.root);
  auto order = chain_of(shape);
  if (reduces) std::reverse(order.begin(), order.end());
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::size_t at = 0; at + 1 < order.size(); ++at)
      program.send({order[at], kInput, piece, 1}, {order[at + 1], kInput, piece, 1}, reduces);
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
