// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/algorithms/planned_algorithms.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

bool any_ranks(const AlgorithmShape& shape) { return shape.ranks > 1; }
bool several_hosts(const AlgorithmShape& shape) {
  return shape.inner > 1 && shape.inner < shape.ranks && shape.ranks % shape.inner == 0;
}

constexpr std::uint64_t kMaxRingMessages = 300'000;  // maximum messages of an all-gather
bool few_ring_messages(const AlgorithmShape& shape) {
  const std::uint32_t rings = ring_count(shape);
  const bool unequal = shape.unequal_hosts.size() > 1 && shape.unequal_hosts.size() < shape.ranks;
  return (several_hosts(shape) || unequal) &&
         std::uint64_t{shape.ranks} * shape.ranks * rings * shape.ring_chunks <= kMaxRingMessages;
}

constexpr std::array kPlannedAlgorithms{
    PlannedAlgorithm{"ring", "round a ring that follows links (Patarasuk and Yuan 2009)",
                     CollectiveType::all_reduce, any_ranks, ring_plan},
    PlannedAlgorithm{"rings", "a ring for each rank of the smallest host, over all rails at once",
                     CollectiveType::all_reduce, few_ring_messages, rings_plan},
    PlannedAlgorithm{"pat",
                     "reduce-scatter and all-gather by parallel aggregated trees, far "
                     "ranks first (Jeaugey 2025)",
                     CollectiveType::all_reduce, any_ranks, pat_plan},
    PlannedAlgorithm{"double_tree",
                     "two binary trees, a half each, in pieces (Sanders, Speck and "
                     "Traff 2009)",
                     CollectiveType::all_reduce, any_ranks, double_tree_all_reduce},
    PlannedAlgorithm{"hierarchical",
                     "reduce-scatter in hosts, rings between them, all-gather in "
                     "hosts (Cho et al. 2019)",
                     CollectiveType::all_reduce, several_hosts, hierarchical_plan},

    PlannedAlgorithm{"ring", "round a ring that follows links", CollectiveType::all_gather,
                     any_ranks, ring_plan},
    PlannedAlgorithm{"rings", "a ring for each rank of the smallest host, over all rails at once",
                     CollectiveType::all_gather, few_ring_messages, rings_plan},
    PlannedAlgorithm{"bruck", "doubling what is held, near ranks first (Bruck et al. 1997)",
                     CollectiveType::all_gather, any_ranks, bruck_all_gather},
    PlannedAlgorithm{"pat", "doubling what is held, far ranks first (Jeaugey 2025)",
                     CollectiveType::all_gather, any_ranks, pat_plan},
    PlannedAlgorithm{"hierarchical", "rings between hosts, then in them",
                     CollectiveType::all_gather, several_hosts, hierarchical_plan},

    PlannedAlgorithm{"ring", "round a ring that follows links", CollectiveType::reduce_scatter,
                     any_ranks, ring_plan},
    PlannedAlgorithm{"rings", "a ring for each rank of the smallest host, over all rails at once",
                     CollectiveType::reduce_scatter, few_ring_messages, rings_plan},
    PlannedAlgorithm{"pat", "halving what is left, near ranks first (Jeaugey 2025)",
                     CollectiveType::reduce_scatter, any_ranks, pat_plan},
    PlannedAlgorithm{"hierarchical", "in hosts, then in rings between them",
                     CollectiveType::reduce_scatter, several_hosts, hierarchical_plan},

    PlannedAlgorithm{"direct", "each to each, all at once", CollectiveType::all_to_all, any_ranks,
                     direct_all_to_all},
    PlannedAlgorithm{"bruck", "in log2(ranks) rounds, by way of others (Bruck et al. 1997)",
                     CollectiveType::all_to_all, any_ranks, bruck_all_to_all},
    PlannedAlgorithm{"hierarchical", "in hosts to the rank on the same rail, then over the rail",
                     CollectiveType::all_to_all, several_hosts, hierarchical_all_to_all},

    PlannedAlgorithm{"chain", "from one to the next along the ring, in pieces",
                     CollectiveType::broadcast, any_ranks, chain_plan},
    PlannedAlgorithm{"binomial", "doubling who has it", CollectiveType::broadcast, any_ranks,
                     binomial_plan},
    PlannedAlgorithm{"chain", "from one to the next along the ring, in pieces",
                     CollectiveType::reduce, any_ranks, chain_plan},
    PlannedAlgorithm{"binomial", "halving who has a part", CollectiveType::reduce, any_ranks,
                     binomial_plan},
};

}  // namespace

std::uint32_t ring_count(const AlgorithmShape& shape) {
  if (shape.unequal_hosts.empty()) return shape.inner;
  return *std::min_element(shape.unequal_hosts.begin(), shape.unequal_hosts.end());
}

std::span<const PlannedAlgorithm> planned_algorithms() { return kPlannedAlgorithms; }

std::vector<std::uint32_t> ring_of(const AlgorithmShape& shape) {
  if (!shape.order.empty()) return shape.order;
  std::vector<std::uint32_t> order(shape.ranks);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

}  // namespace orrery::synthesis
