// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. Source of argument orders: PyTorch's native_functions.yaml.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;

bool is_matrix(const TensorShape& shape) { return shape.size() == 2 && count_of(shape) > 0; }

/// `batch` products of m×k by k×n matrices.
struct ProductSizes {
  std::int64_t batch, m, n, k;
};

/// The kernel of a product; its bytes are those of both inputs and the result.
MaybeKernel product(const ProductSizes& of, Format a, Format b, Format out) {
  const auto [batch, m, n, k] = of;
  const std::int64_t width_a = graph::bits_of(a), width_b = graph::bits_of(b);
  for (const auto& shape : {std::array{batch, m, n, std::int64_t{1}},
                            {batch, m, k, 1},
                            {batch, n, k, 1},
                            {batch, m, n, k}})
    if (count_of(shape) == 0) return std::nullopt;
  if (width_a == 0 || width_b == 0) return std::nullopt;
  Kernel kernel;
  kernel.a = a;
  kernel.b = b;
  kernel.out = out;
  kernel.operation = batch == 1 ? Operation::gemm : Operation::batched_gemm;
  if (batch == 1) {
    kernel.sizes = {m, n, k};
  } else {
    kernel.sizes = {batch, m, n, k};
  }
  kernel.flops = 2 * batch * m * n * k;
  kernel.bytes = batch *
                 (m * k * width_a + n * k * width_b +
                  m * n * (out == Format::unsaid ? width_a : graph::bits_of(out))) /
                 8;
  return kernel;
}

MaybeKernel matrices(const Arguments& args, std::size_t a, std::size_t b, unsigned traits) {
  const TensorShape &left = args.shape(a), &right = args.shape(b);
  if (!is_matrix(left) || !is_matrix(right) || left[1] != right[0]) return std::nullopt;
  auto kernel =
      product({1, left[0], right[1], left[1]}, args.format(a), args.format(b), args.format(a));
  if (kernel) kernel->traits = static_cast<std::uint16_t>(traits);
  return kernel;
}

MaybeKernel batches(const Arguments& args, std::size_t a, std::size_t b) {
  const TensorShape &left = args.shape(a), &right = args.shape(b);
  if (left.size() != 3 || right.size() != 3 || left[0] != right[0] || left[2] != right[1])
    return std::nullopt;
  return product({left[0], left[1], right[2], left[2]}, args.format(a), args.format(b),
                 args.format(a));
}

/// All dimensions except the last are rows; weights are outputs × inputs.
MaybeKernel linear(const Arguments& args) {
  const TensorShape &x = args.shape(0), &weights = args.shape(1);
  const std::int64_t count = count_of(x);
  if (count == 0 || !is_matrix(weights) || x.back() != weights[1]) return std::nullopt;
  auto kernel = product({1, count / x.back(), weights[0], weights[1]}, args.format(0),
                        args.format(1), args.format(0));
  if (!kernel) return kernel;
  kernel->traits = graph::kTransposedB;
  if (args.elements(2) > 0) kernel->traits |= graph::kBias;
  return kernel;
}

/// Scaled fp8 products. The second matrix is always stored transposed. Scales per tensor or per row
/// do not count as block scales. Scales per 32 numbers are one list, padded, in the order of the
/// matrix units (torch._scaled_mm, PyTorch 2.7).
MaybeKernel scaled_product(const Arguments& args) {
  const TensorShape &a = args.shape(0), &scale = args.shape(2);
  auto kernel = matrices(args, 0, 1, graph::kTransposedB | graph::kQuantized);
  if (!kernel) return kernel;
  if (args.elements(4) > 0) kernel->traits |= graph::kBias;
  const bool blocks = scale.size() == 2 && scale[1] > 1 && a[1] > scale[1];
  const bool small_blocks =
      scale.size() == 1 && a[0] > 0 && scale[0] / a[0] >= a[1] / 32 && a[1] > 32;
  if (kernel->a == Format::fp8 && (blocks || small_blocks))
    kernel->a = kernel->b = blocks ? Format::fp8_block : Format::fp8_mx;
  // Number of a ScalarType. Source: PyTorch, c10/core/ScalarType.h.
  const std::vector<std::int64_t> type = args.numbers(6);
  const std::int64_t number = type.size() == 1 ? type.front() : 15;
  kernel->out = number == 6 ? Format::fp32 : number == 5 ? Format::fp16 : Format::bf16;
  const std::int64_t result = kernel->sizes[0] * kernel->sizes[1];
  kernel->bytes += bytes_of(result, kernel->out) - bytes_of(result, args.format(0));
  return kernel;
}

/// Gradients of weights, one matrix per group: the rows of all groups are split along the summed
/// dimension. Argument 2 contains the ends of the groups.
MaybeKernel grouped_weight_gradient(const Arguments& args) {
  const std::int64_t groups = args.elements(2);
  auto kernel = matrices(args, 0, 1, graph::kTransposedA);
  if (!kernel || groups == 0) return std::nullopt;
  const auto [m, n, rows] = std::array{kernel->sizes[0], kernel->sizes[1], kernel->sizes[2]};
  const std::int64_t outputs = count_of(std::array{groups, m, n});
  if (outputs == 0) return std::nullopt;
  kernel->operation = Operation::grouped_gemm;
  kernel->pass = graph::Pass::weight_grad;
  kernel->sizes = {groups, rows, n, m};
  kernel->bytes = args.bytes(0) + args.bytes(1) + bytes_of(outputs, args.format(0));
  return kernel;
}

/// Products of the rows of all groups with one matrix per group.
MaybeKernel grouped_product(const Arguments& args) {
  const TensorShape &x = args.shape(0), &weights = args.shape(1);
  if (is_matrix(x) && is_matrix(weights)) return grouped_weight_gradient(args);
  if (!is_matrix(x) || weights.size() != 3 || count_of(weights) == 0 || x[1] != weights[1])
    return std::nullopt;
  auto kernel =
      product({1, x[0], weights[2], x[1]}, args.format(0), args.format(1), args.format(0));
  if (!kernel) return kernel;
  kernel->operation = Operation::grouped_gemm;
  kernel->sizes = {weights[0], x[0], weights[2], x[1]};
  kernel->bytes = args.bytes(0) + args.bytes(1) + bytes_of(x[0] * weights[2], args.format(0));
  return kernel;
}

MaybeKernel mm(const Arguments& args) { return matrices(args, 0, 1, 0); }
MaybeKernel addmm(const Arguments& args) { return matrices(args, 1, 2, graph::kBias); }
MaybeKernel addmm_activation(const Arguments& args) {
  return matrices(args, 1, 2, graph::kBias | graph::kEpilogue);
}
MaybeKernel bmm(const Arguments& args) { return batches(args, 0, 1); }
MaybeKernel baddbmm(const Arguments& args) { return batches(args, 1, 2); }

constexpr std::array kProducts = {NamedOperator{"aten::mm", mm},
                                  NamedOperator{"aten::addmm", addmm},
                                  NamedOperator{"aten::addmm_", addmm},
                                  NamedOperator{"aten::_addmm_activation", addmm_activation},
                                  NamedOperator{"aten::bmm", bmm},
                                  NamedOperator{"aten::baddbmm", baddbmm},
                                  NamedOperator{"aten::baddbmm_", baddbmm},
                                  NamedOperator{"aten::linear", linear},
                                  NamedOperator{"aten::_scaled_mm", scaled_product, true},
                                  NamedOperator{"aten::_grouped_mm", grouped_product}};

}  // namespace

const NamedOperator* product_operator(std::string_view name) { return find_in(kProducts, name); }

}  // namespace orrery::trace::operators
