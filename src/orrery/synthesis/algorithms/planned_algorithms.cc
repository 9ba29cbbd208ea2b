// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/algorithms/planned_algorithms.h"

#include <algorithm>
#include <array>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

bool always(const AlgorithmShape& shape) { return shape.ranks > 1; }
bool by_hosts(const AlgorithmShape& shape) {
  return shape.inner > 1 && shape.inner < shape.ranks && shape.ranks % shape.inner == 0;
}

constexpr std::uint64_t kMostInRings = 300'000;  // messages of an all-gather
bool by_rails(const AlgorithmShape& shape) {
  return by_hosts(shape) && std::uint64_t{shape.ranks} * shape.ranks * shape.inner <= kMostInRings;
}

constexpr std::array kAll{
    PlannedAlgorithm{"ring", "round a ring that follows links (Patarasuk and Yuan 2009)",
                     CollectiveType::all_reduce, always, ring_reduce_and_gather},
    PlannedAlgorithm{"rings", "a ring for each rank of a host, over all rails at once",
                     CollectiveType::all_reduce, by_rails, rings_reduce_and_gather},
    PlannedAlgorithm{"pat",
                     "reduce-scatter and all-gather by parallel aggregated trees, far "
                     "ranks first (Jeaugey 2025)",
                     CollectiveType::all_reduce, always, pat_all_reduce},
    PlannedAlgorithm{"double_tree",
                     "two binary trees, a half each, in pieces (Sanders, Speck and "
                     "Traff 2009)",
                     CollectiveType::all_reduce, always, double_tree_all_reduce},
    PlannedAlgorithm{"hierarchical",
                     "reduce-scatter in hosts, rings between them, all-gather in "
                     "hosts (Cho et al. 2019)",
                     CollectiveType::all_reduce, by_hosts, hierarchical_all_reduce},

    PlannedAlgorithm{"ring", "round a ring that follows links", CollectiveType::all_gather, always,
                     ring_all_gather},
    PlannedAlgorithm{"rings", "a ring for each rank of a host, over all rails at once",
                     CollectiveType::all_gather, by_rails, rings_all_gather},
    PlannedAlgorithm{"bruck", "doubling what is held, near ranks first (Bruck et al. 1997)",
                     CollectiveType::all_gather, always, bruck_all_gather},
    PlannedAlgorithm{"pat", "doubling what is held, far ranks first (Jeaugey 2025)",
                     CollectiveType::all_gather, always, pat_all_gather},
    PlannedAlgorithm{"hierarchical", "rings between hosts, then in them",
                     CollectiveType::all_gather, by_hosts, hierarchical_all_gather},

    PlannedAlgorithm{"ring", "round a ring that follows links", CollectiveType::reduce_scatter,
                     always, ring_reduce_scatter},
    PlannedAlgorithm{"rings", "a ring for each rank of a host, over all rails at once",
                     CollectiveType::reduce_scatter, by_rails, rings_reduce_scatter},
    PlannedAlgorithm{"pat", "halving what is left, near ranks first (Jeaugey 2025)",
                     CollectiveType::reduce_scatter, always, pat_reduce_scatter},
    PlannedAlgorithm{"hierarchical", "in hosts, then in rings between them",
                     CollectiveType::reduce_scatter, by_hosts, hierarchical_reduce_scatter},

    PlannedAlgorithm{"direct", "each to each, all at once", CollectiveType::all_to_all, always,
                     direct_all_to_all},
    PlannedAlgorithm{"bruck", "in log2(ranks) rounds, by way of others (Bruck et al. 1997)",
                     CollectiveType::all_to_all, always, bruck_all_to_all},
    PlannedAlgorithm{"hierarchical", "in hosts to the rank on the same rail, then over the rail",
                     CollectiveType::all_to_all, by_hosts, hierarchical_all_to_all},

    PlannedAlgorithm{"chain", "from one to the next along the ring, in pieces",
                     CollectiveType::broadcast, always, chain_broadcast},
    PlannedAlgorithm{"binomial", "doubling who has it", CollectiveType::broadcast, always,
                     binomial_broadcast},
    PlannedAlgorithm{"chain", "from one to the next along the ring, in pieces",
                     CollectiveType::reduce, always, chain_reduce},
    PlannedAlgorithm{"binomial", "halving who has a part", CollectiveType::reduce, always,
                     binomial_reduce},
};

}  // namespace

std::span<const PlannedAlgorithm> planned_algorithms() { return kAll; }

std::vector<std::uint32_t> ring_of(const AlgorithmShape& shape) {
  if (!shape.order.empty()) return shape.order;
  std::vector<std::uint32_t> order(shape.ranks);
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) order[rank] = rank;
  return order;
}

}  // namespace orrery::synthesis
