// SPDX-License-Identifier: Apache-2.0
//
// Algorithms with doubling or halving distances, and trees.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

// The largest distance between two ranks that exchange data.
std::uint32_t farthest(std::uint32_t ranks) { return std::bit_ceil(ranks) / 2; }

// Each chunk moves from its owner along a binomial tree, over the largest distance first: at
// distance d, ranks at multiples of 2d from the owner send. Messages of one rank pair in a round
// are concurrent, on separate channels.
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

// The reverse of pat_gather.
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

/// Pairs (parent, child), parents first, of the binary tree whose odd places are leaves. The parent
/// of a place is the next place with one more trailing zero bit (as in NCCL's trees,
/// src/graph/trees.cc).
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

Plan bruck_all_gather(CollectiveType type, const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("bruck", type, ranks, {0, ranks, 0}, true);
  for (std::uint32_t held = 1; held < ranks; held *= 2) {
    const std::uint32_t sent = std::min(held, ranks - held);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t to = (rank + ranks - held) % ranks;
      const std::uint32_t before = std::min(sent, ranks - rank);  // up to the end of the buffer
      // Sends the part after the wrap first, since it arrived last: the other part would wait for
      // the previous round.
      if (before < sent)
        program.send({rank, kOutput, 0, sent - before}, {to, kOutput, 0, sent - before});
      program.send({rank, kOutput, rank, before}, {to, kOutput, rank, before});
    }
  }
  return std::move(program).finish();
}

Plan pat_plan(CollectiveType type, const AlgorithmShape& shape) {
  return scatter_gather_plan("pat", type, shape.ranks, shape.ranks,
                             [&](PlanProgram& program, PlanBuffer buffer, bool scatter) {
                               const auto pass = scatter ? pat_scatter : pat_gather;
                               pass(program, shape.ranks, buffer);
                             });
}

// A leaf of one tree is an inner node of the other, with one exception: the second tree is
// reversed, or shifted by one if the number of ranks is odd.
Plan double_tree_all_reduce(CollectiveType type, const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("double tree", type, ranks, {2 * shape.pieces, 0, 0}, true);
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

Plan binomial_plan(CollectiveType type, const AlgorithmShape& shape) {
  const bool reduces = type == CollectiveType::reduce;
  PlanProgram program("binomial", type, shape.ranks, {1, 0, 0}, true);
  program.set_root(shape.root);
  const auto span = [&](std::uint32_t place) {
    return PlanSpan{(place + shape.root) % shape.ranks, kInput, 0, 1};
  };
  const auto exchange = [&](std::uint32_t far) {
    for (std::uint32_t at = 0; at < far && at + far < shape.ranks; ++at)
      program.send(span(reduces ? at + far : at), span(reduces ? at : at + far), reduces);
  };
  const std::uint32_t farthest_pair = farthest(shape.ranks);
  for (std::uint32_t far = 1; far <= farthest_pair; far *= 2)
    exchange(reduces ? farthest_pair / far : far);
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
