// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/phase_probe.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "orrery/graph/builder.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {

using graph::CollectiveType;
using platform::Platform;

namespace {

/// The platform without choices, running one collective at a time.
Platform plain(const Platform& platform, std::uint32_t dim,
               const platform::AlgorithmSpec& algorithm) {
  Platform made = platform;
  platform::CollectiveConfig& config = made.collectives;
  made.deviations.clear();
  config.library = platform::CollectiveLibrary::ideal;
  config.inter_dimension = platform::InterDimension::ascending;
  config.intra_dimension = platform::IntraDimension::fifo;
  config.splits = config.active_chunks = config.queues_per_dim = 1;
  config.splits_by_model = false;
  config.custom_by_node.clear();
  for (platform::CollectivePlan* plan : {&config.reduce_scatter, &config.all_gather}) {
    plan->chosen.clear();
    plan->custom_prefix.clear();
    // The algorithm of the other dimensions does not matter.
    plan->per_dim.assign(made.dims.size(), {platform::Algorithm::ring, -1});
    plan->per_dim[dim] = algorithm;
  }
  return made;
}

std::optional<std::int64_t> time_of(const Platform& platform, CollectiveType type,
                                    std::uint32_t dim, std::int64_t size) {
  graph::GraphBuilder builder("phase", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize | graph::kHasDims;
  node.collective.type = type;
  node.collective.size = Bytes(size);
  node.collective.dims_mask = std::uint32_t{1} << dim;
  builder.add(node);
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  if (!graph) return std::nullopt;
  graph::Workload workload;
  workload.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
  workload.graph_of_rank.assign(static_cast<std::size_t>(platform.npu_count()), 0);
  Options options;
  options.fold = true;
  const auto made = simulate(workload, platform, options);
  if (!made || made->stall) return std::nullopt;
  return made->end.count();
}

}  // namespace

std::optional<model::PhaseCost> probe_phase(const Platform& platform, CollectiveType type,
                                            std::uint32_t dim,
                                            const platform::AlgorithmSpec& algorithm) {
  if (platform.npu_count() > kMaxProbedRanks || dim >= platform.dims.size()) return std::nullopt;
  const Platform machine = plain(platform, dim, algorithm);
  const std::int64_t n = platform.dims[dim].size;
  const std::int64_t share = std::int64_t{1} << 20;  // bytes that a rank keeps or contributes
  const std::int64_t size = type == CollectiveType::all_gather ? share : share * n;
  const auto once = time_of(machine, type, dim, size),
             twice = time_of(machine, type, dim, 2 * size);
  if (!once || !twice) return std::nullopt;
  const double sent = static_cast<double>(share) * static_cast<double>(n - 1);
  const double per_byte = static_cast<double>(*twice - *once) / sent;
  return model::PhaseCost{std::max(0.0, static_cast<double>(*once) - per_byte * sent), per_byte};
}

}  // namespace orrery::sim
