// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/products.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace orrery::hlo {

namespace {

using graph::Pass;

/// The product of the sizes of some dimensions; -1: the shape does not have one of them.
std::int64_t extent(const Shape& shape, const std::vector<std::int64_t>& dims) {
  std::int64_t size = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || static_cast<std::size_t>(dim) >= shape.dims.size()) return -1;
    size = saturating_product(size,
                              std::max<std::int64_t>(shape.dims[static_cast<std::size_t>(dim)], 1));
  }
  return size;
}

std::int64_t size_at(const Shape& shape, std::int64_t dim) { return extent(shape, {dim}); }

void set_gemm(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
              OperationCost& cost) {
  cost.kernel.operation = batch > 1 ? graph::Operation::batched_gemm : graph::Operation::gemm;
  cost.kernel.sizes = {};
  if (batch > 1)
    cost.kernel.sizes = {batch, m, n, k};
  else
    cost.kernel.sizes = {m, n, k};
}

void take_dot(const Instruction& op, const std::vector<const Shape*>& operands,
              OperationCost& cost) {
  if (operands.size() < 2) {
    cost.known = false;
    return;
  }
  DotDims dims = op.dot.value_or(DotDims{});
  const Shape &lhs = *operands[0], &rhs = *operands[1];
  // "dot" contracts the last dimension of the first operand with the first of the second.
  if (op.opcode->name == "dot" && dims.lhs_contracting.empty() && dims.rhs_contracting.empty() &&
      !lhs.dims.empty()) {
    dims.lhs_contracting = {static_cast<std::int64_t>(lhs.dims.size()) - 1};
    dims.rhs_contracting = {0};
  }
  const std::int64_t batch = extent(lhs, dims.lhs_batch), k = extent(lhs, dims.lhs_contracting);
  const std::int64_t other = extent(rhs, dims.rhs_contracting);
  if (batch < 1 || k < 1 || other != k) {
    cost.known = false;
    return;
  }
  const std::int64_t m = std::max<std::int64_t>(lhs.elements() / batch / k, 1);
  const std::int64_t n = std::max<std::int64_t>(rhs.elements() / batch / k, 1);
  cost.product_flop = saturating_product(saturating_product(2, saturating_product(batch, k)),
                                         saturating_product(m, n));
  set_gemm(batch, m, n, k, cost);
}

/// A convolution as the models know it: the sizes of its forward pass. The gradient of the input
/// has a dilated input (of the layer's stride); that of the filter has a window larger than its
/// output.
struct Layer {
  Pass pass = Pass::forward;
  std::int64_t batch = 1, in = 1, out = 1;
  std::vector<std::int64_t> output, filter;
  std::int64_t stride = 1;
};

Layer layer_of(const Instruction& op, const Shape& input, const Shape& kernel) {
  const ConvolutionDims& dims = *op.convolution;
  Layer layer;
  layer.batch = size_at(input, dims.input_batch);
  layer.in = size_at(kernel, dims.kernel_input);
  layer.out = size_at(op.shape, dims.output_feature);
  bool dilated = false, wide = false;
  for (std::size_t i = 0; i < op.window.size(); ++i) {
    const std::int64_t window = size_at(kernel, dims.kernel_spatial[i]);
    const std::int64_t result = size_at(op.shape, dims.output_spatial[i]);
    dilated = dilated || op.window[i].base_dilation > 1;
    wide = wide || window > result || op.window[i].window_dilation > 1;
    layer.filter.push_back(window);
    layer.output.push_back(result);
    layer.stride = std::max(layer.stride, op.window[i].stride);
  }
  if (dilated) {
    layer.pass = Pass::input_grad;
    std::swap(layer.in, layer.out);
    for (std::size_t i = 0; i < layer.output.size(); ++i) {
      layer.output[i] = size_at(input, dims.input_spatial[i]);
      layer.stride = std::max(layer.stride, op.window[i].base_dilation);
    }
  } else if (wide) {
    // Images are its features, and features its batch.
    layer.pass = Pass::weight_grad;
    std::swap(layer.output, layer.filter);
    std::swap(layer.batch, layer.in);
    for (const WindowDim& dim : op.window)
      layer.stride = std::max(layer.stride, dim.window_dilation);
  }
  return layer;
}

bool fits(const Instruction& op, const Shape& input, const Shape& kernel) {
  const ConvolutionDims& dims = *op.convolution;
  const std::size_t spatial = op.window.size();
  return dims.input_spatial.size() == spatial && dims.kernel_spatial.size() == spatial &&
         dims.output_spatial.size() == spatial && extent(input, dims.input_spatial) >= 0 &&
         extent(kernel, dims.kernel_spatial) >= 0 && extent(op.shape, dims.output_spatial) >= 0 &&
         extent(input, {dims.input_batch, dims.input_feature}) >= 0 &&
         extent(kernel, {dims.kernel_input, dims.kernel_output}) >= 0 &&
         extent(op.shape, {dims.output_batch, dims.output_feature}) >= 0;
}

void take_convolution(const Instruction& op, const std::vector<const Shape*>& operands,
                      OperationCost& cost) {
  if (!op.convolution || operands.size() < 2 || !fits(op, *operands[0], *operands[1])) {
    cost.known = false;
    return;
  }
  const Shape &input = *operands[0], &kernel = *operands[1];
  const ConvolutionDims& dims = *op.convolution;
  std::int64_t pairs = 1;
  for (std::size_t i = 0; i < op.window.size(); ++i) {
    WindowDim dim = op.window[i];
    dim.size = size_at(kernel, dims.kernel_spatial[i]);
    pairs = saturating_product(pairs, window_pairs(dim, size_at(op.shape, dims.output_spatial[i])));
  }
  const std::int64_t features = saturating_product(size_at(op.shape, dims.output_batch),
                                                   size_at(op.shape, dims.output_feature));
  const std::int64_t groups = std::max<std::int64_t>(op.batch_groups, 1);
  cost.product_flop =
      saturating_product(saturating_product(2, saturating_product(features, pairs)),
                         std::max<std::int64_t>(size_at(kernel, dims.kernel_input), 1));
  const Layer layer = layer_of(op, input, kernel);
  cost.kernel.operation = graph::Operation::convolution;
  cost.kernel.pass = layer.pass;
  const auto at = [](const std::vector<std::int64_t>& list, std::size_t i) {
    return i < list.size() ? std::max<std::int64_t>(list[i], 1) : std::int64_t{1};
  };
  // A third spatial dimension multiplies the first.
  const std::int64_t deep = at(layer.output, 2), thick = at(layer.filter, 2);
  cost.kernel.sizes = {std::max<std::int64_t>(layer.batch / groups, 1),
                       layer.in,
                       layer.out,
                       saturating_product(at(layer.output, 0), deep),
                       at(layer.output, 1),
                       saturating_product(at(layer.filter, 0), thick),
                       at(layer.filter, 1),
                       layer.stride};
}

}  // namespace

std::int64_t window_pairs(const WindowDim& dim, std::int64_t outputs) {
  const std::int64_t size = std::max<std::int64_t>(dim.size, 1);
  const std::int64_t base = dim.base_dilation;
  outputs = std::max<std::int64_t>(outputs, 1);
  if (base <= 1) return saturating_product(outputs, size);
  // Wide dilations: the share of elements that are not zeros between elements.
  constexpr std::int64_t kMostDilation = 4096;
  if (base > kMostDilation || outputs > kMostWork / kMostDilation ||
      size > kMostWork / kMostDilation)
    return std::max<std::int64_t>(saturating_product(outputs, size) / base, 1);
  // Place of an output and a window element in the dilated input: o·stride + k·dilation − pad. It
  // holds an element if the dilation of the input divides it.
  const auto residue = [&](std::int64_t value) { return ((value % base) + base) % base; };
  std::vector<std::int64_t> by_output(static_cast<std::size_t>(base), 0);
  for (std::int64_t o = 0; o < base; ++o) {
    const std::int64_t count = outputs / base + (o < outputs % base ? 1 : 0);
    by_output[static_cast<std::size_t>(residue(o * residue(dim.stride)))] += count;
  }
  std::int64_t pairs = 0;
  for (std::int64_t k = 0; k < base; ++k) {
    const std::int64_t count = size / base + (k < size % base ? 1 : 0);
    const std::int64_t place = residue(k * residue(dim.window_dilation) - residue(dim.pad_low));
    const std::int64_t meets = by_output[static_cast<std::size_t>(residue(-place))];
    pairs = saturating_sum(pairs, saturating_product(count, meets));
  }
  return pairs;
}

void take_product(const Instruction& operation, const std::vector<const Shape*>& operands,
                  OperationCost& cost) {
  if (operation.opcode->op_class == OpClass::dot)
    take_dot(operation, operands, cost);
  else
    take_convolution(operation, operands, cost);
}

bool take_library_product(const Instruction& operation, const std::vector<const Shape*>& operands,
                          OperationCost& cost) {
  const std::string_view target = operation.target;
  const bool gemm = target.starts_with("__cublas$") || target == "__triton$gemm";
  const bool convolution = target.starts_with("__cudnn$conv");
  if ((!gemm && !convolution) || operands.size() < 2) return false;
  const Shape& out = operation.shape.is_tuple() && !operation.shape.parts.empty()
                         ? operation.shape.parts.front()
                         : operation.shape;
  const auto elements = [](const Shape& shape) {
    return std::max<std::int64_t>(shape.elements(), 1);
  };
  if (gemm) {
    // (b·m·k)(b·k·n) / (b·m·n) = b·k².
    std::int64_t batch = 1;
    for (std::size_t i = 0; i + 2 < out.dims.size(); ++i)
      batch = saturating_product(batch, std::max<std::int64_t>(out.dims[i], 1));
    const double squared = static_cast<double>(elements(*operands[0])) *
                           static_cast<double>(elements(*operands[1])) /
                           static_cast<double>(elements(out)) / static_cast<double>(batch);
    const auto k = std::max<std::int64_t>(std::llround(std::sqrt(squared)), 1);
    cost.product_flop = saturating_product(saturating_product(2, k), elements(out));
    set_gemm(batch, std::max<std::int64_t>(elements(*operands[0]) / batch / k, 1),
             std::max<std::int64_t>(elements(*operands[1]) / batch / k, 1), k, cost);
    return true;
  }
  // The three arrays are images, filters and outputs, in an order that the call's name says.
  const bool filter = target.find("Filter") != target.npos;
  const bool input = target.find("Input") != target.npos;
  const Shape& filters = filter ? out : *operands[1];
  const Shape& outputs = filter ? *operands[1] : input ? *operands[0] : out;
  const std::int64_t features =
      operation.convolution ? size_at(filters, operation.convolution->kernel_output) : -1;
  if (features < 1) {
    cost.known = false;
    return true;
  }
  cost.product_flop =
      saturating_product(2, saturating_product(elements(outputs), elements(filters) / features));
  cost.kernel.operation = graph::Operation::convolution;
  cost.kernel.pass = filter ? Pass::weight_grad : input ? Pass::input_grad : Pass::forward;
  const ConvolutionDims& dims = *operation.convolution;
  const auto at = [](const Shape& shape, const std::vector<std::int64_t>& list, std::size_t i) {
    return i < list.size() ? std::max<std::int64_t>(size_at(shape, list[i]), 1) : std::int64_t{1};
  };
  std::int64_t stride = 1;
  for (const WindowDim& dim : operation.window) stride = std::max(stride, dim.stride);
  cost.kernel.sizes = {std::max<std::int64_t>(size_at(outputs, dims.output_batch), 1),
                       std::max<std::int64_t>(size_at(filters, dims.kernel_input), 1),
                       features,
                       at(outputs, dims.output_spatial, 0),
                       at(outputs, dims.output_spatial, 1),
                       at(filters, dims.kernel_spatial, 0),
                       at(filters, dims.kernel_spatial, 1),
                       stride};
  return true;
}

}  // namespace orrery::hlo
