// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/per_step_work.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/graph/reshape/node_scaling.h"
#include "orrery/graph/transform/graph_draft.h"

namespace orrery::graph {
namespace {

/// Number of weights with a gradient that this kernel computes.
double gradients_of(const Kernel& kernel) {
  const auto& sizes = kernel.sizes;
  const auto product = [&](std::size_t a, std::size_t b) {
    return static_cast<double>(sizes[a]) * static_cast<double>(sizes[b]);
  };
  const bool of_weights = kernel.pass == Pass::weight_grad;
  switch (kernel.operation) {
    case Operation::gemm:
      return of_weights ? product(0, 1) : 0;
    case Operation::grouped_gemm:
      return of_weights ? static_cast<double>(sizes[0]) * product(2, 3) : 0;
    case Operation::embedding:
      return of_weights ? product(1, 2) : 0;
    case Operation::rms_norm:
      return kernel.pass == Pass::backward ? static_cast<double>(sizes[1]) : 0;
    case Operation::layer_norm:
      return kernel.pass == Pass::backward ? 2 * static_cast<double>(sizes[1]) : 0;
    default:
      return 0;
  }
}

/// A collective's group and type.
using CollectiveKind = std::pair<std::string_view, CollectiveType>;
CollectiveKind collective_kind(const Graph& graph, NodeId n) {
  const Collective& collective = graph.collective(n);
  return {graph.string(collective.group), collective.type};
}

class PerStepWork {
 public:
  PerStepWork(const Graph& graph, const Spine& spine, const Loops& loops)
      : graph_(graph), spine_(spine), loops_(loops), in_layers_(spine.works.size()) {
    for (const Loop& loop : loops.layers)
      std::fill(in_layers_.begin() + static_cast<std::ptrdiff_t>(loop.first),
                in_layers_.begin() + static_cast<std::ptrdiff_t>(loop.end()), true);
  }

  /// Growth factor of the parameters.
  [[nodiscard]] double growth(std::int64_t more) const {
    double layer = 0, others = 0;
    for (const Loop& loop : loops_.layers) {
      double sum = 0;
      for (std::size_t i = loop.first; i < loop.first + loop.period; ++i) sum += parameters(i);
      layer = std::max(layer, sum);
    }
    std::set<KernelId> seen;  // kernels repeat in every microbatch
    for (std::size_t i = 0; i < spine_.works.size(); ++i)
      if (!in_layers_[i] && seen.insert(graph_.kernel(spine_.works[i])).second)
        others += parameters(i);
    const double layers = loops_.layer_count;
    if (layer == 0) return 1 + static_cast<double>(more) / layers;
    return 1 + static_cast<double>(more) * layer / (layers * layer + others);
  }

  /// Kinds of collectives inside layers, in any pass.
  [[nodiscard]] std::set<CollectiveKind> layer_kinds() const {
    std::set<CollectiveKind> made;
    for (NodeId n = 0; n < graph_.size(); ++n)
      if (graph_.kind(n) == NodeKind::coll && between_layers(n))
        made.insert(collective_kind(graph_, n));
    return made;
  }

 private:
  [[nodiscard]] double parameters(std::size_t work) const {
    const Kernel* kernel = graph_.kernel_of(spine_.works[work]);
    return kernel == nullptr ? 0 : gradients_of(*kernel);
  }
  /// Whether the works of the spine before and after `n` (by id) are both in layers.
  [[nodiscard]] bool between_layers(NodeId n) const {
    const auto next = std::upper_bound(spine_.works.begin(), spine_.works.end(), n);
    return next != spine_.works.begin() && next != spine_.works.end() &&
           in_layers_[static_cast<std::size_t>(next - spine_.works.begin()) - 1] &&
           in_layers_[static_cast<std::size_t>(next - spine_.works.begin())];
  }

  const Graph& graph_;
  const Spine& spine_;
  const Loops& loops_;
  std::vector<bool> in_layers_;  // by work
};

}  // namespace

Result<Graph> scale_per_step_work(const Graph& graph, const Spine& spine, const Loops& loops,
                                  std::int64_t more, bool optimizer_repeats,
                                  const std::set<std::string, std::less<>>& across_stages,
                                  Graph longer) {
  const PerStepWork step(graph, spine, loops);
  const double growth = step.growth(more);
  const std::set<CollectiveKind> layer_kinds = step.layer_kinds();
  std::vector<bool> grows = optimizer_nodes(longer);
  for (NodeId n = 0; n < longer.size(); ++n) {
    if (is_work(longer.kind(n)) && passes_of(longer, n).optimizer && optimizer_repeats)
      grows[n] = false;
    if (longer.kind(n) == NodeKind::coll && longer.collective(n).size >= kMinimumGradientBuffer)
      grows[n] = !layer_kinds.contains(collective_kind(longer, n)) &&
                 !across_stages.contains(collective_kind(longer, n).first);
  }
  if (std::find(grows.begin(), grows.end(), true) == grows.end()) return longer;
  const DraftTables tables;
  GraphDraft draft(longer, "", tables);
  for (NodeId n = 0; n < longer.size(); ++n)
    if (grows[n]) scale_node(draft.nodes()[n], growth, *tables.kernels);
  Findings none;
  return std::move(draft).finish(none);
}

}  // namespace orrery::graph
