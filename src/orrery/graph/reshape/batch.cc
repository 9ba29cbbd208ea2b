// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/batch.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "orrery/graph/reshape/node_scaling.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::graph {
namespace {

/// The batch sizes of a kernel, and the weights that it reads or writes.
struct BatchSizes {
  std::vector<std::size_t> places;  ///< indexes in Kernel::sizes
  double weights = 0;               ///< elements
  Format format = Format::unsaid;   ///< format of the weights
};

double sizes_product(const Kernel& kernel, std::size_t a, std::size_t b) {
  return static_cast<double>(kernel.sizes[a]) * static_cast<double>(kernel.sizes[b]);
}

/// Whether a batched product is a sequence of experts (see the sizes of batched_gemm).
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

/// Bytes of a norm's weights: the remainder of `bytes` after complete passes over all rows.
double bytes_outside_rows(const Kernel& kernel, Bytes bytes) {
  const double pass = sizes_product(kernel, 0, 1) * bits_of(kernel.out) / 8;
  return pass > 0 ? std::fmod(static_cast<double>(bytes.count()), pass) : 0;
}

/// How often the weights are read: once per launch of a sliced product.
double times_read(const Kernel& kernel) {
  return kernel.operation == Operation::gemm ? kernel.launches : 1;
}

class BatchScaler {
 public:
  BatchScaler(const Graph& graph, const BatchChange& change, KernelTable& kernels,
              BatchReport& report)
      : graph_(graph),
        change_(change),
        kernels_(kernels),
        report_(report),
        once_(optimizer_nodes(graph)) {
    for (NodeId n = 0; n < graph.size(); ++n) {
      const Kernel* kernel = graph.kernel_of(n);
      const double elements = kernel == nullptr ? 0 : batch_sizes(*kernel).weights;
      if (elements > 0) weights_.insert(static_cast<std::int64_t>(elements));
    }
  }

  Result<void> scale(NodeId n, const std::string& where, NodeSpec& node) {
    if (is_message(node.kind)) {
      if (node.message.pieces == 0) node.message.size = scale_bytes(node.message.size, 0);
      node.duration = scale_time(node.duration, change_.factor);
      return {};
    }
    if (node.kind == NodeKind::coll) {
      if (!change_.activations[n]) return {};
      node.collective.size = scale_bytes(node.collective.size, 0);
      node.duration = scale_time(node.duration, change_.factor);
      return {};
    }
    const auto kind = work_kind(graph_, n);
    if (node.kind != NodeKind::comp || (kind != WorkKind::kernels && kind != WorkKind::copies))
      return {};
    if (once_[n] || is_on_weights(n)) {
      ++report_.weights;
      return {};
    }
    return scale_work(n, where, node);
  }

 private:
  /// `fixed_bytes`: how many of the bytes do not grow.
  [[nodiscard]] Bytes scale_bytes(Bytes bytes, double fixed_bytes) const {
    const double growing = std::max(0.0, static_cast<double>(bytes.count()) - fixed_bytes);
    return Bytes(bytes.count() - std::llround(growing) +
                 scale_count(std::llround(growing), change_.factor));
  }

  /// Element-wise gradient work on as many elements as some weight has: adds or copies the weight's
  /// gradient.
  [[nodiscard]] bool is_on_weights(NodeId n) const {
    const Kernel* kernel = graph_.kernel_of(n);
    if (kernel == nullptr) return false;
    const bool plain = kernel->operation == Operation::elementwise ||
                       kernel->operation == Operation::copy || kernel->operation == Operation::cast;
    return plain && kernel->pass == Pass::weight_grad && weights_.contains(kernel->sizes[0]);
  }

  Result<void> scale_work(NodeId n, const std::string& where, NodeSpec& node) {
    double fixed_bytes = 0;
    if (node.kernel != kNoKernel) {
      Kernel kernel = kernels_[node.kernel];
      const BatchSizes batch = batch_sizes(kernel);
      fixed_bytes = is_norm(kernel)
                        ? bytes_outside_rows(kernel, node.work.tensor_size)
                        : batch.weights * bits_of(batch.format) / 8 * times_read(kernel);
      for (const std::size_t place : batch.places) {
        const double size = static_cast<double>(kernel.sizes[place]) * change_.factor;
        const bool whole = size == std::floor(size);
        if (!whole && kernel.operation == Operation::attention)
          return fail(
              Errc::usage, where,
              fmt::format("node {} attends to {} sequences: {} times as many is not a whole number",
                          graph_.id(n), kernel.sizes[place], change_.factor),
              "--batch needs a factor that results in whole sequences");
        report_.rounded += whole ? 0 : 1;
        if (kernel.sizes[place] > 0)
          kernel.sizes[place] = std::max<std::int64_t>(1, std::llround(size));
      }
      kernel.flops = scale_count(kernel.flops, change_.factor);
      kernel.bytes = scale_bytes(Bytes(kernel.bytes), fixed_bytes).count();
      node.kernel = kernels_.intern(kernel);
      ++report_.by_kernel_sizes;
    } else {
      ++report_.proportional;
    }
    node.work.num_ops = scale_count(node.work.num_ops, change_.factor);
    node.work.tensor_size = scale_bytes(node.work.tensor_size, fixed_bytes);
    node.duration = scale_time(node.duration, change_.factor);
    return {};
  }

  const Graph& graph_;
  const BatchChange& change_;
  KernelTable& kernels_;
  BatchReport& report_;
  std::vector<bool> once_;
  std::set<std::int64_t> weights_;  // elements
};

}  // namespace

Result<Graph> with_batch(const Graph& graph, const BatchChange& change, const std::string& where,
                         const DraftTables& tables, BatchReport& report, Findings& findings) {
  GraphDraft draft(graph, where, tables);
  BatchScaler scaler(graph, change, *tables.kernels, report);
  for (NodeId n = 0; n < graph.size(); ++n)
    if (auto done = scaler.scale(n, where, draft.nodes()[n]); !done)
      return tl::unexpected(done.error());
  return std::move(draft).finish(findings);
}

}  // namespace orrery::graph
