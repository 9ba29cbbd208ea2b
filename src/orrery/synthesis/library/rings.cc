// SPDX-License-Identifier: Apache-2.0
//
// Rings and chains.
#include <algorithm>

#include "orrery/synthesis/library/algorithms_internal.h"

namespace orrery::synthesis {

namespace {

std::uint32_t turned(std::uint32_t position, std::uint32_t back, std::uint32_t ranks) {
  return (position + ranks - back % ranks) % ranks;
}

// Each chunk goes all the way round to its owner, and takes something from everybody on its way.
void scatter_round(PlanProgram& program, const std::vector<std::uint32_t>& order,
                   PlanBuffer buffer) {
  const auto ranks = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t at = 0; at < ranks; ++at) {
      const std::uint32_t chunk = order[turned(at, round + 1, ranks)];
      program.send({order[at], buffer, chunk, 1}, {order[(at + 1) % ranks], buffer, chunk, 1},
                   true);
    }
  }
}

void gather_round(PlanProgram& program, const std::vector<std::uint32_t>& order,
                  PlanBuffer buffer) {
  const auto ranks = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t round = 0; round + 1 < ranks; ++round) {
    for (std::uint32_t at = 0; at < ranks; ++at) {
      const std::uint32_t chunk = order[turned(at, round, ranks)];
      program.send({order[at], buffer, chunk, 1}, {order[(at + 1) % ranks], buffer, chunk, 1});
    }
  }
}

// The ring, from the root on.
std::vector<std::uint32_t> chain_of(const AlgorithmShape& shape) {
  std::vector<std::uint32_t> order = ring_of(shape);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), shape.root), order.end());
  return order;
}

}  // namespace

Plan ring_reduce_and_gather(const AlgorithmShape& shape) {
  PlanProgram program("ring", PlanCollective::all_reduce, shape.ranks, {shape.ranks, 0, 0}, true);
  const auto order = ring_of(shape);
  scatter_round(program, order, kInput);
  gather_round(program, order, kInput);
  return std::move(program).finish();
}

Plan ring_all_gather(const AlgorithmShape& shape) {
  PlanProgram program("ring", PlanCollective::all_gather, shape.ranks, {0, shape.ranks, 0}, true);
  gather_round(program, ring_of(shape), PlanBuffer::output);
  return std::move(program).finish();
}

Plan ring_reduce_scatter(const AlgorithmShape& shape) {
  PlanProgram program("ring", PlanCollective::reduce_scatter, shape.ranks, {shape.ranks, 0, 0},
                      true);
  scatter_round(program, ring_of(shape), kInput);
  return std::move(program).finish();
}

Plan chain_broadcast(const AlgorithmShape& shape) {
  PlanProgram program("chain", PlanCollective::broadcast, shape.ranks, {shape.pieces, 0, 0}, true);
  program.set_root(shape.root);
  const auto order = chain_of(shape);
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::size_t at = 0; at + 1 < order.size(); ++at)
      program.send({order[at], kInput, piece, 1}, {order[at + 1], kInput, piece, 1});
  }
  return std::move(program).finish();
}

Plan chain_reduce(const AlgorithmShape& shape) {
  PlanProgram program("chain", PlanCollective::reduce, shape.ranks, {shape.pieces, 0, 0}, true);
  program.set_root(shape.root);
  const auto order = chain_of(shape);
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::size_t at = order.size(); --at > 0;)
      program.send({order[at], kInput, piece, 1}, {order[at - 1], kInput, piece, 1}, true);
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
