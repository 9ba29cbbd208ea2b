// SPDX-License-Identifier: Apache-2.0
//
// All-to-alls.
#include <algorithm>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

Plan direct_all_to_all(CollectiveType type, const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("direct", type, ranks, {ranks, ranks, 0}, false);
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    program.copy({rank, kInput, rank, 1}, {rank, kOutput, rank, 1});
  for (std::uint32_t apart = 1; apart < ranks; ++apart) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t to = (rank + apart) % ranks;
      program.send({rank, kInput, to, 1}, {to, kOutput, rank, 1});
    }
  }
  return std::move(program).finish();
}

// Scratch place d holds the chunk that is still d ranks from its destination. The round with
// distance 2^k sends the chunks whose d has bit k. Scratch has two copies, since ranks send and
// receive at the same time.
Plan bruck_all_to_all(CollectiveType type, const AlgorithmShape& shape) {
  const std::uint32_t ranks = shape.ranks;
  PlanProgram program("bruck", type, ranks, {ranks, ranks, 2 * ranks}, false);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    program.copy({rank, kInput, rank, ranks - rank}, {rank, kScratch, 0, ranks - rank});
    if (rank > 0) program.copy({rank, kInput, 0, rank}, {rank, kScratch, ranks - rank, rank});
  }
  std::uint32_t half = 0;
  for (std::uint32_t far = 1; far < ranks; far *= 2, half = ranks - half) {
    const std::uint32_t other = ranks - half;
    for (std::uint32_t first = 0, at = 0; first < ranks; first += far, ++at) {
      const std::uint32_t count = std::min(far, ranks - first);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const PlanSpan what{rank, kScratch, half + first, count};
        if (at % 2 == 0) {
          program.copy(what, {rank, kScratch, other + first, count});
        } else {
          program.send(what, {(rank + far) % ranks, kScratch, other + first, count}, false, at / 2);
        }
      }
    }
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t away = 0; away < ranks; ++away)
      program.copy({rank, kScratch, half + away, 1},
                   {rank, kOutput, (rank + ranks - away) % ranks, 1});
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
