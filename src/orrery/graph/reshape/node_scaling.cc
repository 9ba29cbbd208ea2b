// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/node_scaling.h"

#include <cmath>

#include "orrery/graph/structure/spine.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

bool is_reduction(const Graph& graph, NodeId n) {
  const Kernel* kernel = graph.kernel_of(n);
  return kernel != nullptr && kernel->operation == Operation::reduction;
}

}  // namespace

std::int64_t scale_count(std::int64_t value, double factor) {
  return std::llround(static_cast<double>(value) * factor);
}

void scale_node(NodeSpec& node, double factor, KernelTable& kernels) {
  node.duration = scale_time(node.duration, factor);
  node.work.num_ops = scale_count(node.work.num_ops, factor);
  node.work.tensor_size = Bytes(scale_count(node.work.tensor_size.count(), factor));
  if (node.kind == NodeKind::coll)
    node.collective.size = Bytes(scale_count(node.collective.size.count(), factor));
  if (node.kernel == kNoKernel) return;
  Kernel kernel = kernels[node.kernel];
  kernel.sizes[0] = scale_count(kernel.sizes[0], factor);
  kernel.flops = scale_count(kernel.flops, factor);
  kernel.bytes = scale_count(kernel.bytes, factor);
  node.kernel = kernels.intern(kernel);
}

std::vector<bool> optimizer_nodes(const Graph& graph) {
  std::vector<bool> made(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (is_work(graph.kind(n)) && passes_of(graph, n).optimizer) made[n] = true;
    if (!is_reduction(graph, n)) continue;
    for (const NodeId next : graph.successors(n))
      if (passes_of(graph, next).optimizer) made[n] = true;
  }
  return made;
}

}  // namespace orrery::graph
