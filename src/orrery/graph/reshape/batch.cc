// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/batch.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "orrery/graph/reshape/node_growth.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

/// What of a kernel is the batch's, and what it reads or writes of weights.
struct BatchSizes {
  std::vector<std::size_t> places;  ///< in Kernel::sizes
  double weights = 0;               ///< elements
  Format format = Format::unsaid;   ///< … of these
};

double sizes_product(const Kernel& kernel, std::size_t a, std::size_t b) {
  return static_cast<double>(kernel.sizes[a]) * static_cast<double>(kernel.sizes[b]);
}

/// Experts one after another, as products side by side (see sizes of batched_gemm).
bool is_of_experts(const Kernel& kernel) {
  return kernel.launches > 1 && static_cast<std::int64_t>(kernel.launches) == kernel.sizes[0];
}

BatchSizes product_sizes(const Kernel& kernel) {
  const bool gradient = kernel.pass == Pass::weight_grad;
  const Format format = gradient ? kernel.out : kernel.b;
  if (kernel.operation == Operation::gemm)
    return gradient ? BatchSizes{{2}, sizes_product(kernel, 0, 1), format}
                    : BatchSizes{{0}, sizes_product(kernel, 1, 2), format};
  const auto count = static_cast<double>(kernel.sizes[0]);
  if (kernel.operation == Operation::grouped_gemm)
    return {{1, 4}, count * sizes_product(kernel, 2, 3), format};
  if (!is_of_experts(kernel)) return {{0}, 0, format};
  return gradient ? BatchSizes{{3}, count * sizes_product(kernel, 1, 2), format}
                  : BatchSizes{{1}, count * sizes_product(kernel, 2, 3), format};
}

BatchSizes batch_sizes(const Kernel& kernel) {
  switch (kernel.operation) {
    case Operation::gemm:
    case Operation::batched_gemm:
    case Operation::grouped_gemm:
      return product_sizes(kernel);
    case Operation::convolution:
      return {{0},
              sizes_product(kernel, 1, 2) * sizes_product(kernel, 5, 6),
              kernel.pass == Pass::weight_grad ? kernel.out : kernel.b};
    case Operation::embedding_bag:
      return {{1, 5, 7}, 0, Format::unsaid};
    default:
      return {{0}, 0, Format::unsaid};
  }
}

bool is_norm(const Kernel& kernel) {
  return kernel.operation == Operation::layer_norm || kernel.operation == Operation::rms_norm;
}

/// Of these bytes of a norm, those of its weights: what is left of whole passes over all rows.
double beside_rows(const Kernel& kernel, Bytes bytes) {
  const double pass = sizes_product(kernel, 0, 1) * bits_of(kernel.out) / 8;
  return pass > 0 ? std::fmod(static_cast<double>(bytes.count()), pass) : 0;
}

/// Products of slices, one after another, each read all weights.
double times_read(const Kernel& kernel) {
  return kernel.operation == Operation::gemm ? kernel.launches : 1;
}

class BatchMaker {
 public:
  BatchMaker(const Graph& graph, const BatchChange& change, KernelTable& kernels,
             BatchReport& predicted)
      : graph_(graph),
        change_(change),
        kernels_(kernels),
        told_(predicted),
        once_(optimizer_nodes(graph)) {
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (graph.kernel(n) == kNoKernel) continue;
      const Kernel& kernel = (*graph.kernels())[graph.kernel(n)];
      const double elements = batch_sizes(kernel).weights;
      if (elements > 0) weights_.insert(static_cast<std::int64_t>(elements));
    }
  }

  Result<void> change_node(NodeId n, const std::string& where, NodeSpec& node) {
    if (node.kind == NodeKind::send || node.kind == NodeKind::recv) {
      if (node.message.pieces == 0) node.message.size = grown_bytes(node.message.size, 0);
      node.duration = times(node.duration, change_.factor);
      return {};
    }
    if (node.kind == NodeKind::coll) {
      if (!change_.activations[n]) return {};
      node.collective.size = grown_bytes(node.collective.size, 0);
      node.duration = times(node.duration, change_.factor);
      return {};
    }
    const auto of = time_of(graph_, n);
    if (node.kind != NodeKind::comp || (of != WorkKind::kernels && of != WorkKind::copies))
      return {};
    if (once_[n] || is_on_weights(n)) {
      ++told_.weights;
      return {};
    }
    return change_work(n, where, node);
  }

 private:
  /// `stays`: of these bytes.
  [[nodiscard]] Bytes grown_bytes(Bytes bytes, double stays) const {
    const double moves = std::max(0.0, static_cast<double>(bytes.count()) - stays);
    return Bytes(bytes.count() - std::llround(moves) + grown(std::llround(moves), change_.factor));
  }

  /// As many elements as weights: their gradients, added up or copied.
  [[nodiscard]] bool is_on_weights(NodeId n) const {
    if (graph_.kernel(n) == kNoKernel) return false;
    const Kernel& kernel = (*graph_.kernels())[graph_.kernel(n)];
    const bool plain = kernel.operation == Operation::elementwise ||
                       kernel.operation == Operation::copy || kernel.operation == Operation::cast;
    return plain && kernel.pass == Pass::weight_grad && weights_.contains(kernel.sizes[0]);
  }

  Result<void> change_work(NodeId n, const std::string& where, NodeSpec& node) {
    double stays = 0;
    if (node.kernel != kNoKernel) {
      Kernel kernel = kernels_[node.kernel];
      const BatchSizes of = batch_sizes(kernel);
      stays = is_norm(kernel) ? beside_rows(kernel, node.work.tensor_size)
                              : of.weights * bits_of(of.format) / 8 * times_read(kernel);
      for (const std::size_t place : of.places) {
        const double size = static_cast<double>(kernel.sizes[place]) * change_.factor;
        const bool whole = size == std::floor(size);
        if (!whole && kernel.operation == Operation::attention)
          return fail(Errc::usage, where,
                      fmt::format("node {} attends to {} sequences: {} times as many are no whole "
                                  "number",
                                  graph_.id(n), kernel.sizes[place], change_.factor),
                      "--batch takes shares that leave whole sequences");
        told_.rounded += whole ? 0 : 1;
        if (kernel.sizes[place] > 0)
          kernel.sizes[place] = std::max<std::int64_t>(1, std::llround(size));
      }
      kernel.flops = grown(kernel.flops, change_.factor);
      kernel.bytes = grown_bytes(Bytes(kernel.bytes), stays).count();
      node.kernel = kernels_.intern(kernel);
      ++told_.by_sizes;
    } else {
      ++told_.as_whole;
    }
    node.work.num_ops = grown(node.work.num_ops, change_.factor);
    node.work.tensor_size = grown_bytes(node.work.tensor_size, stays);
    node.duration = times(node.duration, change_.factor);
    return {};
  }

  const Graph& graph_;
  const BatchChange& change_;
  KernelTable& kernels_;
  BatchReport& told_;
  std::vector<bool> once_;
  std::set<std::int64_t> weights_;  // elements
};

}  // namespace

Result<Graph> with_batch(const Graph& graph, const BatchChange& change, const std::string& where,
                         const DraftTables& tables, BatchReport& predicted, Findings& findings) {
  GraphDraft draft(graph, where, tables);
  BatchMaker maker(graph, change, *tables.kernels, predicted);
  for (NodeId n = 0; n < graph.size(); ++n)
    if (auto done = maker.change_node(n, where, draft.nodes()[n]); !done)
      return tl::unexpected(done.error());
  return std::move(draft).finish(findings);
}

}  // namespace orrery::graph
