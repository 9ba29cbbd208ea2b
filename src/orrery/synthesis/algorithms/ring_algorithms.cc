// SPDX-License-Identifier: Apache-2.0
//
// Rings and chains.
#include <algorithm>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

std::uint32_t turned(std::uint32_t position, std::uint32_t back, std::uint32_t ranks) {
  return (position + ranks - back % ranks) % ranks;
}

using Orders = std::vector<std::vector<std::uint32_t>>;

// Each chunk goes all the way round to its owner, and takes something from everybody on its way.
// Of several rings each has a part of every rank's chunks.
void scatter_round(PlanProgram& program, const Orders& rings, PlanBuffer buffer) {
  const auto ranks = static_cast<std::uint32_t>(rings.front().size());
  const auto count = static_cast<std::uint32_t>(rings.size());
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t at = 0; at < ranks; ++at) {
        const std::uint32_t chunk = rings[r][turned(at, round + 1, ranks)] * count + r;
        program.send({rings[r][at], buffer, chunk, 1},
                     {rings[r][(at + 1) % ranks], buffer, chunk, 1}, true, r);
      }
    }
  }
}

void gather_round(PlanProgram& program, const Orders& rings, PlanBuffer buffer) {
  const auto ranks = static_cast<std::uint32_t>(rings.front().size());
  const auto count = static_cast<std::uint32_t>(rings.size());
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t at = 0; at < ranks; ++at) {
        const std::uint32_t chunk = rings[r][turned(at, round, ranks)] * count + r;
        program.send({rings[r][at], buffer, chunk, 1},
                     {rings[r][(at + 1) % ranks], buffer, chunk, 1}, false, r);
      }
    }
  }
}

// One for each rank of a host. Each comes into a host at the rank with whose like it left the one
// before, so that all network ports of a host are used, once in and once out, and rails are kept.
Orders rings_over_rails(const AlgorithmShape& shape) {
  const std::uint32_t inner = shape.inner, hosts = shape.ranks / inner;
  Orders rings(inner);
  for (std::uint32_t r = 0; r < inner; ++r) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
      // To and fro between two rails; an odd number of hosts goes through them one by one.
      const bool even = hosts % 2 == 0;
      const std::uint32_t in = even ? r + host % 2 : r + host;
      const std::uint32_t out = even ? r + 1 - host % 2 : r + host + 1;
      const bool up = out > in;
      for (std::uint32_t i = 0; i < inner; ++i) {
        // From `in` the long way round, so that `out`, its neighbour, is the last.
        const std::uint32_t device = up ? in + inner - i : in + i;
        rings[r].push_back(host * inner + device % inner);
      }
    }
  }
  return rings;
}

// The ring, from the root on.
std::vector<std::uint32_t> chain_of(const AlgorithmShape& shape) {
  std::vector<std::uint32_t> order = ring_of(shape);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), shape.root), order.end());
  return order;
}

}  // namespace

Plan ring_reduce_and_gather(const AlgorithmShape& shape) {
  PlanProgram program("ring", CollectiveType::all_reduce, shape.ranks, {shape.ranks, 0, 0}, true);
  const Orders order{ring_of(shape)};
  scatter_round(program, order, kInput);
  gather_round(program, order, kInput);
  return std::move(program).finish();
}

Plan ring_all_gather(const AlgorithmShape& shape) {
  PlanProgram program("ring", CollectiveType::all_gather, shape.ranks, {0, shape.ranks, 0}, true);
  gather_round(program, {ring_of(shape)}, PlanBuffer::output);
  return std::move(program).finish();
}

Plan ring_reduce_scatter(const AlgorithmShape& shape) {
  PlanProgram program("ring", CollectiveType::reduce_scatter, shape.ranks, {shape.ranks, 0, 0},
                      true);
  scatter_round(program, {ring_of(shape)}, kInput);
  return std::move(program).finish();
}

Plan rings_reduce_and_gather(const AlgorithmShape& shape) {
  PlanProgram program("rings", CollectiveType::all_reduce, shape.ranks,
                      {shape.ranks * shape.inner, 0, 0}, true);
  const Orders rings = rings_over_rails(shape);
  scatter_round(program, rings, kInput);
  gather_round(program, rings, kInput);
  return std::move(program).finish();
}

Plan rings_all_gather(const AlgorithmShape& shape) {
  PlanProgram program("rings", CollectiveType::all_gather, shape.ranks,
                      {0, shape.ranks * shape.inner, 0}, true);
  gather_round(program, rings_over_rails(shape), PlanBuffer::output);
  return std::move(program).finish();
}

Plan rings_reduce_scatter(const AlgorithmShape& shape) {
  PlanProgram program("rings", CollectiveType::reduce_scatter, shape.ranks,
                      {shape.ranks * shape.inner, 0, 0}, true);
  scatter_round(program, rings_over_rails(shape), kInput);
  return std::move(program).finish();
}

Plan chain_broadcast(const AlgorithmShape& shape) {
  PlanProgram program("chain", CollectiveType::broadcast, shape.ranks, {shape.pieces, 0, 0}, true);
  program.set_root(shape.root);
  const auto order = chain_of(shape);
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::size_t at = 0; at + 1 < order.size(); ++at)
      program.send({order[at], kInput, piece, 1}, {order[at + 1], kInput, piece, 1});
  }
  return std::move(program).finish();
}

Plan chain_reduce(const AlgorithmShape& shape) {
  PlanProgram program("chain", CollectiveType::reduce, shape.ranks, {shape.pieces, 0, 0}, true);
  program.set_root(shape.root);
  const auto order = chain_of(shape);
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::size_t at = order.size(); --at > 0;)
      program.send({order[at], kInput, piece, 1}, {order[at - 1], kInput, piece, 1}, true);
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
