// SPDX-License-Identifier: Apache-2.0
//
// Convolutions in one or two dimensions. Source of argument orders: PyTorch's
// native_functions.yaml.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Pass;

/// Indices of the arguments that determine the size of the result.
struct ConvolutionArguments {
  std::size_t stride, padding, dilation;
  std::size_t transposed = kNoArgument;
};

/// Height and width of an input; a one-dimensional signal has height 1.
struct Sides {
  std::int64_t height = 1, width = 1;
};

std::optional<Sides> sides_of(const TensorShape& shape) {
  if (count_of(shape) == 0) return std::nullopt;
  if (shape.size() == 3) return Sides{1, shape[2]};
  if (shape.size() == 4) return Sides{shape[2], shape[3]};
  return std::nullopt;
}

/// One number per side, or one for both.
std::optional<Sides> pair_of(const std::vector<std::int64_t>& numbers, std::size_t dimensions,
                             std::int64_t other_side) {
  if (dimensions == 1 && numbers.size() == 1) return Sides{other_side, numbers[0]};
  if (dimensions == 2 && numbers.size() == 2) return Sides{numbers[0], numbers[1]};
  if (dimensions == 2 && numbers.size() == 1) return Sides{numbers[0], numbers[0]};
  return std::nullopt;
}

/// The kernel whose result has sides `out`. Layouts: inputs batch × channels × sides; filters
/// outputs × inputs per group × sides.
MaybeKernel convolution(const TensorShape& input, const TensorShape& filter, const Sides& out,
                        std::int64_t stride, Format format) {
  const auto sides = sides_of(filter);
  const std::int64_t width = graph::bits_of(format) / 8;
  if (!sides || width == 0 || input.size() != filter.size() || input[1] % filter[1] != 0)
    return std::nullopt;
  const std::int64_t in = count_of(input), weights = count_of(filter);
  const std::int64_t outputs = count_of(std::array{input[0], filter[0], out.height, out.width});
  const std::int64_t products =
      count_of(std::array{outputs, filter[1], sides->height, sides->width});
  if (in == 0 || weights == 0 || outputs == 0 || products == 0) return std::nullopt;
  Kernel kernel;
  kernel.operation = graph::Operation::convolution;
  kernel.a = kernel.b = kernel.out = format;
  kernel.sizes = {input[0],  filter[1],     filter[0],    out.height,
                  out.width, sides->height, sides->width, stride};
  kernel.flops = 2 * products;
  kernel.bytes = (in + weights + outputs) * width;
  return kernel;
}

template <ConvolutionArguments at>
MaybeKernel forward(const Arguments& args) {
  const TensorShape &input = args.shape(0), &filter = args.shape(1);
  const auto in = sides_of(input), of = sides_of(filter);
  if (!in || !of || input.size() != filter.size() || args.is_set(at.transposed))
    return std::nullopt;
  const std::size_t dimensions = input.size() - 2;
  const auto stride = pair_of(args.numbers(at.stride), dimensions, 1);
  const auto padding = pair_of(args.numbers(at.padding), dimensions, 0);
  const auto dilation = pair_of(args.numbers(at.dilation), dimensions, 1);
  if (!stride || !padding || !dilation) return std::nullopt;
  const Sides out{
      window_count(in->height, of->height, stride->height, padding->height, dilation->height),
      window_count(in->width, of->width, stride->width, padding->width, dilation->width)};
  return convolution(input, filter, out, stride->width, args.format(0));
}

constexpr ConvolutionArguments kWithBias = {
    .stride = 3, .padding = 4, .dilation = 5, .transposed = 6};
constexpr ConvolutionArguments kPlain = {.stride = 3, .padding = 4, .dilation = 5};
constexpr ConvolutionArguments kCudnnConvolution = {.stride = 3, .padding = 2, .dilation = 4};
constexpr ConvolutionArguments kMiopen = {.stride = 4, .padding = 3, .dilation = 5};
constexpr ConvolutionArguments kDepthwise = {.stride = 4, .padding = 5, .dilation = 6};

/// The gradients of input and filter; a mask selects them (and the bias). Further indices are
/// relative to the stride.
MaybeKernel gradients(const Arguments& args, std::size_t stride_index) {
  const std::size_t transposed = stride_index + 3, mask_index = stride_index + 6;
  const TensorShape &grad = args.shape(0), &input = args.shape(1), &filter = args.shape(2);
  const auto out = sides_of(grad);
  const std::vector<std::int64_t> stride = args.numbers(stride_index),
                                  mask = args.numbers(mask_index);
  if (!out || args.is_set(transposed) || input.size() != grad.size()) return std::nullopt;
  auto kernel =
      convolution(input, filter, *out, stride.empty() ? 0 : stride.back(), args.format(1));
  if (!kernel || kernel->sizes[7] < 0 || grad[0] != input[0] || grad[1] != filter[0])
    return std::nullopt;
  const bool has_input_gradient = mask.size() != 3 || mask[0] != 0;
  const bool has_filter_gradient = mask.size() != 3 || mask[1] != 0;
  if (!has_input_gradient && !has_filter_gradient) return std::nullopt;
  kernel->pass = !has_filter_gradient ? Pass::input_grad
                 : has_input_gradient ? Pass::backward
                                      : Pass::weight_grad;
  if (kernel->pass != Pass::backward) return kernel;
  kernel->flops *= 2;
  kernel->bytes *= 2;
  return kernel;
}

/// With or without the sizes of the bias before the stride.
MaybeKernel backward(const Arguments& args) { return gradients(args, 4); }
MaybeKernel overrideable_backward(const Arguments& args) { return gradients(args, 3); }

constexpr std::array kConvolutions = {
    NamedOperator{"aten::convolution", forward<kWithBias>, true},
    NamedOperator{"aten::_convolution", forward<kWithBias>, true},
    NamedOperator{"aten::convolution_overrideable", forward<kWithBias>, true},
    NamedOperator{"aten::conv1d", forward<kPlain>, true},
    NamedOperator{"aten::conv2d", forward<kPlain>, true},
    NamedOperator{"aten::cudnn_convolution", forward<kCudnnConvolution>, true},
    NamedOperator{"aten::cudnn_convolution_relu", forward<kPlain>, true},
    NamedOperator{"aten::miopen_convolution", forward<kMiopen>, true},
    NamedOperator{"aten::miopen_depthwise_convolution", forward<kMiopen>, true},
    NamedOperator{"aten::miopen_convolution_relu", forward<kPlain>, true},
    NamedOperator{"aten::_conv_depthwise2d", forward<kDepthwise>, true},
    NamedOperator{"aten::convolution_backward", backward, true},
    NamedOperator{"aten::convolution_backward_overrideable", overrideable_backward, true}};

}  // namespace

const NamedOperator* convolution_operator(std::string_view name) {
  return find_in(kConvolutions, name);
}

}  // namespace orrery::trace::operators
