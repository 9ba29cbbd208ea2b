// SPDX-License-Identifier: Apache-2.0
//
// What doubles and halves, and trees.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

// The highest distance at which somebody has somebody.
std::uint32_t farthest(std::uint32_t ranks) { return std::bit_ceil(ranks) / 2; }

// Each chunk goes from its owner along a binomial tree, first to whom is farthest: at a distance
// goes what those have that stand at multiples of twice that. What one rank sends another in a
// round goes at once, on channels of their own.
void pat_gather(PlanProgram& program, std::uint32_t ranks, PlanBuffer buffer) {
  for (std::uint32_t far = farthest(ranks); far > 0; far /= 2) {
    for (std::uint32_t offset = 0, at = 0; offset + far < ranks; offset += 2 * far, ++at) {
      for (std::uint32_t chunk = 0; chunk < ranks; ++chunk) {
        const std::uint32_t from = (chunk + offset) % ranks, to = (from + far) % ranks;
        program.send({from, buffer, chunk, 1}, {to, buffer, chunk, 1}, false, at);
      }
    }
  }
}

// The same backwards.
void pat_scatter(PlanProgram& program, std::uint32_t ranks, PlanBuffer buffer) {
  for (std::uint32_t far = 1; far < ranks; far *= 2) {
    for (std::uint32_t offset = 0, at = 0; offset + far < ranks; offset += 2 * far, ++at) {
      for (std::uint32_t chunk = 0; chunk < ranks; ++chunk) {
        const std::uint32_t to = (chunk + offset) % ranks, from = (to + far) % ranks;
        program.send({from, buffer, chunk, 1}, {to, buffer, chunk, 1}, true, at);
      }
    }
  }
}

/// Parent and child, parents first, of the binary tree whose odd places are its leaves: above a
/// place is the next with one more zero at its end (as NCCL builds its trees, src/graph/trees.cc).
std::vector<std::pair<std::uint32_t, std::uint32_t>> tree_edges(std::uint32_t ranks) {
  std::vector<std::vector<std::uint32_t>> below(ranks);
  for (std::uint32_t place = 1; place < ranks; ++place) {
    const std::uint32_t lowest = place & (~place + 1);
    const std::uint32_t next = (place ^ lowest) | (lowest << 1);
    below[next < ranks ? next : place ^ lowest].push_back(place);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::uint32_t> queue{0};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t child : below[queue[i]]) {
      edges.emplace_back(queue[i], child);
      queue.push_back(child);
    }
  }
  return edges;
}

}  // namespace

Plan bruck_all_gather(const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("bruck", CollectiveType::all_gather, ranks, {0, ranks, 0}, true);
  for (std::uint32_t held = 1; held < ranks; held *= 2) {
    const std::uint32_t sent = std::min(held, ranks - held);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t to = (rank + ranks - held) % ranks;
      const std::uint32_t before = std::min(sent, ranks - rank);  // the end of the buffer
      // What came last goes first: what was there before would be in the way of the round before.
      if (before < sent)
        program.send({rank, kOutput, 0, sent - before}, {to, kOutput, 0, sent - before});
      program.send({rank, kOutput, rank, before}, {to, kOutput, rank, before});
    }
  }
  return std::move(program).finish();
}

Plan pat_all_gather(const AlgorithmShape& shape) {
  PlanProgram program("pat", CollectiveType::all_gather, shape.ranks, {0, shape.ranks, 0}, true);
  pat_gather(program, shape.ranks, kOutput);
  return std::move(program).finish();
}

Plan pat_reduce_scatter(const AlgorithmShape& shape) {
  PlanProgram program("pat", CollectiveType::reduce_scatter, shape.ranks, {shape.ranks, 0, 0},
                      true);
  pat_scatter(program, shape.ranks, kInput);
  return std::move(program).finish();
}

Plan pat_all_reduce(const AlgorithmShape& shape) {
  PlanProgram program("pat", CollectiveType::all_reduce, shape.ranks, {shape.ranks, 0, 0}, true);
  pat_scatter(program, shape.ranks, kInput);
  pat_gather(program, shape.ranks, kInput);
  return std::move(program).finish();
}

// Who is a leaf of one tree is inside the other, but for one: the second is turned round, or, if
// ranks are odd, shifted by one.
Plan double_tree_all_reduce(const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("double tree", CollectiveType::all_reduce, ranks, {2 * shape.pieces, 0, 0},
                      true);
  const auto edges = tree_edges(ranks);
  const auto in_tree = [&](std::uint32_t tree, std::uint32_t place) {
    if (tree == 0) return place;
    return ranks % 2 == 0 ? ranks - 1 - place : (place + 1) % ranks;
  };
  for (std::uint32_t piece = 0; piece < shape.pieces; ++piece) {
    for (std::uint32_t tree = 0; tree < 2; ++tree) {
      const std::uint32_t chunk = tree * shape.pieces + piece;
      for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
        program.send({in_tree(tree, edge->second), kInput, chunk, 1},
                     {in_tree(tree, edge->first), kInput, chunk, 1}, true, tree);
      }
      for (const auto& [parent, child] : edges) {
        program.send({in_tree(tree, parent), kInput, chunk, 1},
                     {in_tree(tree, child), kInput, chunk, 1}, false, tree);
      }
    }
  }
  return std::move(program).finish();
}

Plan binomial_broadcast(const AlgorithmShape& shape) {
  PlanProgram program("binomial", CollectiveType::broadcast, shape.ranks, {1, 0, 0}, true);
  program.set_root(shape.root);
  const auto rank = [&](std::uint32_t place) { return (place + shape.root) % shape.ranks; };
  for (std::uint32_t have = 1; have < shape.ranks; have *= 2) {
    for (std::uint32_t at = 0; at < have && at + have < shape.ranks; ++at)
      program.send({rank(at), kInput, 0, 1}, {rank(at + have), kInput, 0, 1});
  }
  return std::move(program).finish();
}

Plan binomial_reduce(const AlgorithmShape& shape) {
  PlanProgram program("binomial", CollectiveType::reduce, shape.ranks, {1, 0, 0}, true);
  program.set_root(shape.root);
  const auto rank = [&](std::uint32_t place) { return (place + shape.root) % shape.ranks; };
  for (std::uint32_t have = farthest(shape.ranks); have > 0; have /= 2) {
    for (std::uint32_t at = 0; at < have && at + have < shape.ranks; ++at)
      program.send({rank(at + have), kInput, 0, 1}, {rank(at), kInput, 0, 1}, true);
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
