// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of one or two dimensions. Source of argument orders: PyTorch's
// native_functions.yaml.
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Pass;

/// Places of what says how large the result is.
struct ConvolutionPlaces {
  std::size_t stride, padding, dilation;
  std::size_t transposed = kNoArgument;
};

/// A picture's sides: two for a signal, too, of which the first is 1.
struct Sides {
  std::int64_t height = 1, width = 1;
};

std::optional<Sides> sides_of(const TensorShape& shape) {
  if (count_of(shape) == 0) return std::nullopt;
  if (shape.size() == 3) return Sides{1, shape[2]};
  if (shape.size() == 4) return Sides{shape[2], shape[3]};
  return std::nullopt;
}

/// One number for each side, or the same for both.
std::optional<Sides> pair_of(const std::vector<std::int64_t>& numbers, std::size_t dimensions,
                             std::int64_t beside) {
  if (dimensions == 1 && numbers.size() == 1) return Sides{beside, numbers[0]};
  if (dimensions == 2 && numbers.size() == 2) return Sides{numbers[0], numbers[1]};
  if (dimensions == 2 && numbers.size() == 1) return Sides{numbers[0], numbers[0]};
  return std::nullopt;
}

/// The kernel whose result has `out` sides, from tensors as they are stored: pictures batch ×
/// channels × sides, filters outputs × inputs of a group × sides.
MaybeKernel convolved(const TensorShape& picture, const TensorShape& filter, const Sides& out,
                      std::int64_t stride, Format format) {
  const auto sides = sides_of(filter);
  const std::int64_t width = graph::bits_of(format) / 8;
  if (!sides || width == 0 || picture.size() != filter.size() || picture[1] % filter[1] != 0)
    return std::nullopt;
  const std::int64_t in = count_of(picture), weights = count_of(filter);
  const std::int64_t made = count_of(std::array{picture[0], filter[0], out.height, out.width});
  const std::int64_t work = count_of(std::array{made, filter[1], sides->height, sides->width});
  if (in == 0 || weights == 0 || made == 0 || work == 0) return std::nullopt;
  Kernel kernel;
  kernel.operation = graph::Operation::convolution;
  kernel.a = kernel.b = kernel.out = format;
  kernel.sizes = {picture[0], filter[1],     filter[0],    out.height,
                  out.width,  sides->height, sides->width, stride};
  kernel.flops = 2 * work;
  kernel.bytes = (in + weights + made) * width;
  return kernel;
}

MaybeKernel forward(const Arguments& is, const ConvolutionPlaces& at) {
  const TensorShape &picture = is.shape(0), &filter = is.shape(1);
  const auto in = sides_of(picture), of = sides_of(filter);
  if (!in || !of || picture.size() != filter.size() || is.is_set(at.transposed))
    return std::nullopt;
  const std::size_t dimensions = picture.size() - 2;
  const auto stride = pair_of(is.numbers(at.stride), dimensions, 1);
  const auto padding = pair_of(is.numbers(at.padding), dimensions, 0);
  const auto dilation = pair_of(is.numbers(at.dilation), dimensions, 1);
  if (!stride || !padding || !dilation) return std::nullopt;
  const Sides out{places(in->height, of->height, stride->height, padding->height, dilation->height),
                  places(in->width, of->width, stride->width, padding->width, dilation->width)};
  return convolved(picture, filter, out, stride->width, is.format(0));
}

MaybeKernel with_bias(const Arguments& is) {
  return forward(is, {.stride = 3, .padding = 4, .dilation = 5, .transposed = 6});
}
MaybeKernel plain(const Arguments& is) {
  return forward(is, {.stride = 3, .padding = 4, .dilation = 5});
}
MaybeKernel cudnn(const Arguments& is) {
  return forward(is, {.stride = 3, .padding = 2, .dilation = 4});
}
MaybeKernel miopen(const Arguments& is) {
  return forward(is, {.stride = 4, .padding = 3, .dilation = 5});
}
MaybeKernel depthwise(const Arguments& is) {
  return forward(is, {.stride = 4, .padding = 5, .dilation = 6});
}

/// The gradients of picture and filter; the mask says which of them (and of the bias). The other
/// places follow that of the stride.
MaybeKernel gradients(const Arguments& is, std::size_t stride_place) {
  const std::size_t transposed = stride_place + 3, mask_place = stride_place + 6;
  const TensorShape &grad = is.shape(0), &picture = is.shape(1), &filter = is.shape(2);
  const auto out = sides_of(grad);
  const std::vector<std::int64_t> stride = is.numbers(stride_place), mask = is.numbers(mask_place);
  if (!out || is.is_set(transposed) || picture.size() != grad.size()) return std::nullopt;
  auto kernel = convolved(picture, filter, *out, stride.empty() ? 0 : stride.back(), is.format(1));
  if (!kernel || kernel->sizes[7] < 0 || grad[0] != picture[0] || grad[1] != filter[0])
    return std::nullopt;
  const bool of_picture = mask.size() != 3 || mask[0] != 0;
  const bool of_filter = mask.size() != 3 || mask[1] != 0;
  if (!of_picture && !of_filter) return std::nullopt;
  kernel->pass = !of_filter ? Pass::input_grad : of_picture ? Pass::backward : Pass::weight_grad;
  if (kernel->pass != Pass::backward) return kernel;
  kernel->flops *= 2;
  kernel->bytes *= 2;
  return kernel;
}

/// Behind the sizes of the bias, or without them.
MaybeKernel backward(const Arguments& is) { return gradients(is, 4); }
MaybeKernel overrideable_backward(const Arguments& is) { return gradients(is, 3); }

constexpr std::array kConvolutions = {
    NamedOperator{"aten::convolution", with_bias, true},
    NamedOperator{"aten::_convolution", with_bias, true},
    NamedOperator{"aten::convolution_overrideable", with_bias, true},
    NamedOperator{"aten::conv1d", plain, true},
    NamedOperator{"aten::conv2d", plain, true},
    NamedOperator{"aten::cudnn_convolution", cudnn, true},
    NamedOperator{"aten::cudnn_convolution_relu", plain, true},
    NamedOperator{"aten::miopen_convolution", miopen, true},
    NamedOperator{"aten::miopen_depthwise_convolution", miopen, true},
    NamedOperator{"aten::miopen_convolution_relu", plain, true},
    NamedOperator{"aten::_conv_depthwise2d", depthwise, true},
    NamedOperator{"aten::convolution_backward", backward, true},
    NamedOperator{"aten::convolution_backward_overrideable", overrideable_backward, true}};

}  // namespace

const NamedOperator* convolution_operator(std::string_view name) {
  return find_in(kConvolutions, name);
}

}  // namespace orrery::trace::operators
