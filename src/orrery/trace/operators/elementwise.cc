// SPDX-License-Identifier: Apache-2.0
//
// Elementwise operators. Sources of argument orders: PyTorch's native_functions.yaml, vLLM's
// csrc/torch_bindings.cpp.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Sizes of elementwise kernels: number of elements, and elements per row. Zero for no tensor.
using ElementCounts = std::array<std::int64_t, 2>;

ElementCounts counts_of(const TensorShape& shape) {
  const std::int64_t count = count_of(shape);
  return {count, count == 0 ? 0 : shape.empty() ? 1 : shape.back()};
}

/// … of the broadcast shape of the first `reads` arguments; zero if they do not fit.
ElementCounts broadcast_counts(const Arguments& args, std::size_t reads) {
  TensorShape shape_of_all;  // from the last dimension to the first
  for (std::size_t i = 0; i < reads; ++i) {
    const TensorShape& shape = args.shape(i);
    if (shape.size() > shape_of_all.size()) shape_of_all.resize(shape.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t size = shape[shape.size() - 1 - d];
      if (size == 1 || size == shape_of_all[d]) continue;
      if (shape_of_all[d] != 1) return {};
      shape_of_all[d] = size;
    }
  }
  const std::int64_t count = count_of(shape_of_all);
  return {count, count == 0 ? 0 : shape_of_all.empty() ? 1 : shape_of_all.front()};
}

/// Result format of an operation on two formats: floating point before integers, then the wider
/// one.
Format promoted(Format a, Format b) {
  if (std::minmax(a, b) == std::minmax(Format::bf16, Format::fp16)) return Format::fp32;
  const auto rank = [](Format format) {
    const bool whole = format == Format::int8 || format == Format::int32 || format == Format::int64;
    return std::pair(!whole, graph::bits_of(format));
  };
  return rank(b) > rank(a) ? b : a;
}

/// Result format of the first `reads` arguments; `unsaid` if one of them is. Arguments without
/// elements do not count.
Format promoted(const Arguments& args, std::size_t reads) {
  std::optional<Format> all;
  for (std::size_t i = 0; i < reads; ++i) {
    if (args.elements(i) == 0) continue;
    if (args.format(i) == Format::unsaid) return Format::unsaid;
    all = all ? promoted(*all, args.format(i)) : args.format(i);
  }
  return all.value_or(Format::unsaid);
}

/// Reads arguments [0, reads) and writes one result, in the promoted format of the arguments or in
/// the format of argument `like`.
template <Operation operation, std::size_t reads, Pass pass = Pass::forward,
          std::size_t like = kNoArgument>
MaybeKernel elementwise(const Arguments& args) {
  const auto [count, row_size] = broadcast_counts(args, reads);
  const Format out = like == kNoArgument ? promoted(args, reads) : args.format(like);
  if (count == 0 || out == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(operation, pass, args.format(0), out);
  kernel.sizes = {count, row_size};
  for (std::size_t i = 0; i < reads; ++i) kernel.bytes += args.bytes(i);
  kernel.bytes += bytes_of(count, out);
  return kernel;
}

template <std::size_t reads>
constexpr auto kElementwise = elementwise<Operation::elementwise, reads>;
template <std::size_t reads>
constexpr auto kInPlace = elementwise<Operation::elementwise, reads, Pass::forward, 0>;
template <std::size_t reads>
constexpr auto kActivation = elementwise<Operation::activation, reads>;
template <std::size_t reads>
constexpr auto kActivationBack = elementwise<Operation::activation, reads, Pass::input_grad>;

/// Comparisons of one or two inputs; the results are truth values of one byte.
template <std::size_t reads>
MaybeKernel comparison(const Arguments& args) {
  auto kernel = elementwise<Operation::elementwise, reads>(args);
  if (!kernel) return kernel;
  const std::int64_t count = kernel->sizes[0];
  kernel->bytes += count - bytes_of(count, kernel->out);
  kernel->out = Format::int8;
  return kernel;
}

/// Reads no input.
MaybeKernel fill(const Arguments& args) {
  const std::int64_t count = args.elements(0);
  if (count == 0) return std::nullopt;
  Kernel kernel =
      simple_kernel(Operation::elementwise, Pass::forward, Format::unsaid, args.format(0));
  kernel.sizes = {count};
  kernel.bytes = args.bytes(0);
  return kernel;
}

/// A copy of argument 1 to argument 0, or a cast.
MaybeKernel copy(const Arguments& args) {
  constexpr std::size_t from = 1, to = 0;
  const auto [count, row_size] = counts_of(args.shape(to));
  if (count == 0 || args.format(to) == Format::unsaid) return std::nullopt;
  const Format read = args.format(from) == Format::unsaid ? args.format(to) : args.format(from);
  const Operation operation = read == args.format(to) ? Operation::copy : Operation::cast;
  Kernel kernel = simple_kernel(operation, Pass::forward, read, args.format(to));
  kernel.sizes = {count, operation == Operation::cast ? row_size : 0};  // a copy has no row size
  kernel.bytes = bytes_of(args.elements(from), read) + args.bytes(to);
  return kernel;
}

/// Reads one index per element.
MaybeKernel gather(const Arguments& args) {
  const std::int64_t count = args.elements(2);
  if (count == 0 || args.format(0) == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::copy, Pass::forward, args.format(0), args.format(0));
  kernel.sizes = {count};
  kernel.bytes = 2 * bytes_of(count, args.format(0)) + args.bytes(2);
  return kernel;
}

/// Also writes a mask of one byte per element.
MaybeKernel dropout(const Arguments& args) {
  auto kernel = elementwise<Operation::dropout, 1>(args);
  if (kernel) kernel->bytes += kernel->sizes[0];
  return kernel;
}

/// Writes keys and values to places of a cache.
MaybeKernel cache_write(const Arguments& args) {
  const std::int64_t count = args.elements(0);
  if (count == 0 || args.elements(1) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::copy, Pass::forward, args.format(0), args.format(2));
  kernel.sizes = {count + args.elements(1)};
  kernel.bytes = args.bytes(0) + args.bytes(1) + bytes_of(kernel.sizes[0], args.format(2));
  return kernel;
}

/// Rotates queries and keys in place; argument 0 has the position of each token.
MaybeKernel rotary(const Arguments& args) {
  const std::int64_t count = args.elements(1) + args.elements(2);
  if (args.elements(1) == 0 || args.format(1) == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::rotary, Pass::forward, args.format(1), args.format(1));
  const std::int64_t tokens = args.elements(0);
  kernel.sizes = {count, tokens > 0 && count % tokens == 0 ? count / tokens : 0};
  kernel.bytes = 2 * bytes_of(count, args.format(1));
  return kernel;
}

/// Writes argument 0 from both halves of argument 1.
MaybeKernel gated_activation(const Arguments& args) {
  if (args.elements(0) == 0 || args.format(1) == Format::unsaid) return std::nullopt;
  Kernel kernel =
      simple_kernel(Operation::activation, Pass::forward, args.format(1), args.format(0));
  kernel.traits = graph::kGated;
  const auto [count, row_size] = counts_of(args.shape(0));
  kernel.sizes = {count, row_size};
  kernel.bytes = args.bytes(0) + args.bytes(1);
  return kernel;
}

/// Reduces along the dimensions in argument 1, or along all if there are none. Overloads without
/// dimensions have at most two arguments; the second is a format (sum) or whether the variance is
/// unbiased. `out`: the result's format if it differs from the input's.
template <Format out = Format::unsaid>
MaybeKernel reduce(const Arguments& args) {
  const TensorShape& shape = args.shape(0);
  const std::int64_t count = count_of(shape);
  if (count == 0 || args.format(0) == Format::unsaid) return std::nullopt;
  std::int64_t outputs = 1;
  const auto dims = args.size() > 2 ? args.numbers(1) : std::vector<std::int64_t>();
  const auto dimensions = static_cast<std::int64_t>(shape.size());
  if (!dims.empty()) outputs = count;
  for (const std::int64_t dim : dims) {
    if (dim < -dimensions || dim >= dimensions) return std::nullopt;
    outputs /= shape[static_cast<std::size_t>(dim < 0 ? dim + dimensions : dim)];
  }
  const Format format = out == Format::unsaid ? args.format(0) : out;
  Kernel kernel = simple_kernel(Operation::reduction, Pass::forward, args.format(0), format);
  kernel.sizes = {count};
  kernel.flops = count;
  kernel.bytes = args.bytes(0) + bytes_of(outputs, format);
  return kernel;
}

constexpr std::array kElements = {
    NamedOperator{"aten::copy_", copy},
    NamedOperator{"aten::add_", kInPlace<2>},
    NamedOperator{"aten::add", kElementwise<2>},
    NamedOperator{"aten::mul", kElementwise<2>},
    NamedOperator{"aten::mul_", kInPlace<2>},
    NamedOperator{"aten::sub", kElementwise<2>},
    NamedOperator{"aten::sub_", kInPlace<2>},
    NamedOperator{"aten::rsub", kElementwise<2>},
    NamedOperator{"aten::div", kElementwise<2>},
    NamedOperator{"aten::div_", kInPlace<2>},
    NamedOperator{"aten::pow", kElementwise<1>},
    NamedOperator{"aten::rsqrt", kElementwise<1>},
    NamedOperator{"aten::sqrt", kElementwise<1>},
    NamedOperator{"aten::neg", kElementwise<1>},
    NamedOperator{"aten::abs", kElementwise<1>},
    NamedOperator{"aten::exp", kElementwise<1>},
    NamedOperator{"aten::log", kElementwise<1>},
    NamedOperator{"aten::sin", kElementwise<1>},
    NamedOperator{"aten::cos", kElementwise<1>},
    NamedOperator{"aten::reciprocal", kElementwise<1>},
    NamedOperator{"aten::clamp", kElementwise<1>},
    NamedOperator{"aten::tril", kElementwise<1>},
    NamedOperator{"aten::triu", kElementwise<1>},
    NamedOperator{"aten::cumsum", kElementwise<1>},
    NamedOperator{"aten::lerp_", kInPlace<2>},
    NamedOperator{"aten::addcmul_", kInPlace<3>},
    NamedOperator{"aten::addcdiv_", kInPlace<3>},
    NamedOperator{"aten::addcmul", kElementwise<3>},
    NamedOperator{"aten::addcdiv", kElementwise<3>},
    NamedOperator{"aten::masked_fill_", kInPlace<2>},
    NamedOperator{"aten::masked_fill", kInPlace<2>},
    NamedOperator{"aten::where", elementwise<Operation::elementwise, 3, Pass::forward, 1>},
    NamedOperator{"aten::mse_loss", kElementwise<2>},
    NamedOperator{"aten::mse_loss_backward",
                  elementwise<Operation::elementwise, 3, Pass::input_grad, 1>},
    NamedOperator{"aten::eq", comparison<2>},
    NamedOperator{"aten::ne", comparison<2>},
    NamedOperator{"aten::lt", comparison<2>},
    NamedOperator{"aten::le", comparison<2>},
    NamedOperator{"aten::gt", comparison<2>},
    NamedOperator{"aten::ge", comparison<2>},
    NamedOperator{"aten::isnan", comparison<1>},
    NamedOperator{"aten::fill_", fill},
    NamedOperator{"aten::zero_", fill},
    NamedOperator{"aten::tanh", kActivation<1>},
    NamedOperator{"aten::gelu", kActivation<1>},
    NamedOperator{"aten::silu", kActivation<1>},
    NamedOperator{"aten::silu_", kActivation<1>},
    NamedOperator{"aten::relu", kActivation<1>},
    NamedOperator{"aten::relu_", kActivation<1>},
    NamedOperator{"aten::clamp_min", kActivation<1>},
    NamedOperator{"aten::clamp_min_", kActivation<1>},
    NamedOperator{"aten::hardtanh", kActivation<1>},
    NamedOperator{"aten::leaky_relu", kActivation<1>},
    NamedOperator{"aten::leaky_relu_", kActivation<1>},
    NamedOperator{"aten::sigmoid", kActivation<1>},
    NamedOperator{"aten::sigmoid_", kActivation<1>},
    NamedOperator{"aten::threshold_backward", kActivationBack<2>},
    NamedOperator{"aten::gelu_backward", kActivationBack<2>},
    NamedOperator{"aten::silu_backward", kActivationBack<2>},
    NamedOperator{"aten::tanh_backward", kActivationBack<2>},
    NamedOperator{"aten::sigmoid_backward", kActivationBack<2>},
    NamedOperator{"aten::leaky_relu_backward", kActivationBack<2>},
    NamedOperator{"aten::hardtanh_backward", kActivationBack<2>},
    NamedOperator{"aten::native_dropout", dropout},
    NamedOperator{"aten::_fused_dropout", dropout},
    NamedOperator{"aten::native_dropout_backward",
                  elementwise<Operation::dropout, 2, Pass::input_grad>},
    NamedOperator{"aten::gather", gather},
    NamedOperator{"aten::sum", reduce<>, true},
    NamedOperator{"aten::mean", reduce<>, true},
    NamedOperator{"aten::prod", reduce<>, true},
    NamedOperator{"aten::amax", reduce<>, true},
    NamedOperator{"aten::amin", reduce<>, true},
    NamedOperator{"aten::argmax", reduce<Format::int64>, true},
    NamedOperator{"aten::argmin", reduce<Format::int64>, true},
    NamedOperator{"aten::all", reduce<Format::int8>, true},
    NamedOperator{"aten::any", reduce<Format::int8>, true},
    NamedOperator{"aten::var", reduce<>, true},
    NamedOperator{"aten::std", reduce<>, true},
    NamedOperator{"_C::silu_and_mul", gated_activation},
    NamedOperator{"_C::gelu_and_mul", gated_activation},
    NamedOperator{"_C::rotary_embedding", rotary},
    NamedOperator{"_C::static_scaled_fp8_quant", copy},
    NamedOperator{"_C_cache_ops::reshape_and_cache_flash", cache_write}};

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 60;  // total bytes of all tensors

/// Elementwise kernels fused by Inductor: each tensor is read or written once; the last one is a
/// result.
MaybeKernel fused_elementwise(const Arguments& args) {
  std::int64_t count = 0, bytes = 0;
  Format out = Format::unsaid;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args.elements(i) == 0) continue;
    count = std::max(count, args.elements(i));
    if (args.bytes(i) > kMaxBytes - bytes) return std::nullopt;
    bytes += args.bytes(i);
    out = args.format(i);
  }
  if (count == 0 || out == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::elementwise, Pass::forward, args.format(0), out);
  kernel.sizes = {count};
  kernel.bytes = bytes;
  return kernel;
}
constexpr NamedOperator kFused = {"triton_poi_fused", fused_elementwise};

}  // namespace

const NamedOperator* elementwise_operator(std::string_view name) {
  if (name.substr(0, kFused.name.size()) == kFused.name) return &kFused;
  return find_in(kElements, name);
}

}  // namespace orrery::trace::operators
