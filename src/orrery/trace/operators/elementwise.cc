// SPDX-License-Identifier: Apache-2.0
//
// Operators that work number by number. Sources of argument orders: PyTorch's
// native_functions.yaml, vLLM's csrc/torch_bindings.cpp.
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

/// How many numbers there are, and how many of them lie in a row: sizes of kernels that work number
/// by number. None of nothing.
using Spread = std::array<std::int64_t, 2>;

Spread spread_of(const TensorShape& shape) {
  const std::int64_t count = count_of(shape);
  return {count, count == 0 ? 0 : shape.empty() ? 1 : shape.back()};
}

/// … of what the first `reads` arguments make when they are spread out to one shape
/// (broadcasting); none where they do not fit.
Spread spread(const Arguments& is, std::size_t reads) {
  TensorShape together;  // from the last dimension on
  for (std::size_t i = 0; i < reads; ++i) {
    const TensorShape& shape = is.shape(i);
    if (shape.size() > together.size()) together.resize(shape.size(), 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t size = shape[shape.size() - 1 - d];
      if (size == 1 || size == together[d]) continue;
      if (together[d] != 1) return {};
      together[d] = size;
    }
  }
  const std::int64_t count = count_of(together);
  return {count, count == 0 ? 0 : together.empty() ? 1 : together.front()};
}

/// The format of what comes of numbers in two: fractions before whole numbers, then the wider one.
Format promoted(Format a, Format b) {
  if (std::minmax(a, b) == std::minmax(Format::bf16, Format::fp16)) return Format::fp32;
  const auto rank = [](Format format) {
    const bool whole = format == Format::int8 || format == Format::int32 || format == Format::int64;
    return std::pair(!whole, graph::bits_of(format));
  };
  return rank(b) > rank(a) ? b : a;
}

/// … of the first `reads` arguments; unsaid where one of them is. Those without dimensions do not
/// count.
Format promoted(const Arguments& is, std::size_t reads) {
  std::optional<Format> all;
  for (std::size_t i = 0; i < reads; ++i) {
    if (is.elements(i) == 0) continue;
    if (is.format(i) == Format::unsaid) return Format::unsaid;
    all = all ? promoted(*all, is.format(i)) : is.format(i);
  }
  return all.value_or(Format::unsaid);
}

/// Arguments [0, reads) are read, what they make together is written, in the format that comes of
/// theirs or that of argument `like`.
template <Operation operation, std::size_t reads, Pass pass = Pass::forward,
          std::size_t like = kNoArgument>
MaybeKernel each(const Arguments& is) {
  const auto [count, row] = spread(is, reads);
  const Format out = like == kNoArgument ? promoted(is, reads) : is.format(like);
  if (count == 0 || out == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(operation, pass, is.format(0), out);
  kernel.sizes = {count, row};
  for (std::size_t i = 0; i < reads; ++i) kernel.bytes += is.bytes(i);
  kernel.bytes += bytes_of(count, out);
  return kernel;
}

template <std::size_t reads>
constexpr auto kPlain = each<Operation::elementwise, reads>;
template <std::size_t reads>
constexpr auto kInPlace = each<Operation::elementwise, reads, Pass::forward, 0>;
template <std::size_t reads>
constexpr auto kActivation = each<Operation::activation, reads>;
template <std::size_t reads>
constexpr auto kActivationBack = each<Operation::activation, reads, Pass::input_grad>;

/// Truth values of one byte, of one or two inputs.
template <std::size_t reads>
MaybeKernel truth(const Arguments& is) {
  auto kernel = each<Operation::elementwise, reads>(is);
  if (!kernel) return kernel;
  const std::int64_t count = kernel->sizes[0];
  kernel->bytes += count - bytes_of(count, kernel->out);
  kernel->out = Format::int8;
  return kernel;
}

/// Nothing is read.
MaybeKernel fill(const Arguments& is) {
  const std::int64_t count = is.elements(0);
  if (count == 0) return std::nullopt;
  Kernel kernel =
      simple_kernel(Operation::elementwise, Pass::forward, Format::unsaid, is.format(0));
  kernel.sizes = {count};
  kernel.bytes = is.bytes(0);
  return kernel;
}

MaybeKernel moved(const Arguments& is, std::size_t from, std::size_t to) {
  const auto [count, row] = spread_of(is.shape(to));
  if (count == 0 || is.format(to) == Format::unsaid) return std::nullopt;
  const Format read = is.format(from) == Format::unsaid ? is.format(to) : is.format(from);
  const Operation operation = read == is.format(to) ? Operation::copy : Operation::cast;
  Kernel kernel = simple_kernel(operation, Pass::forward, read, is.format(to));
  kernel.sizes = {count, operation == Operation::cast ? row : 0};  // of a copy it says nothing
  kernel.bytes = bytes_of(is.elements(from), read) + is.bytes(to);
  return kernel;
}
MaybeKernel copy(const Arguments& is) { return moved(is, 1, 0); }

/// By an index for each number.
MaybeKernel gather(const Arguments& is) {
  const std::int64_t count = is.elements(2);
  if (count == 0 || is.format(0) == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::copy, Pass::forward, is.format(0), is.format(0));
  kernel.sizes = {count};
  kernel.bytes = 2 * bytes_of(count, is.format(0)) + is.bytes(2);
  return kernel;
}

/// With a mask of bytes.
MaybeKernel dropout(const Arguments& is) {
  auto kernel = each<Operation::dropout, 1>(is);
  if (kernel) kernel->bytes += kernel->sizes[0];
  return kernel;
}

/// Keys and values into a cache's places.
MaybeKernel cached(const Arguments& is) {
  const std::int64_t count = is.elements(0);
  if (count == 0 || is.elements(1) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::copy, Pass::forward, is.format(0), is.format(2));
  kernel.sizes = {count + is.elements(1)};
  kernel.bytes = is.bytes(0) + is.bytes(1) + bytes_of(kernel.sizes[0], is.format(2));
  return kernel;
}

/// Queries and keys are turned where they are; argument 0 has the position of each token.
MaybeKernel rotary(const Arguments& is) {
  const std::int64_t count = is.elements(1) + is.elements(2);
  if (is.elements(1) == 0 || is.format(1) == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::rotary, Pass::forward, is.format(1), is.format(1));
  const std::int64_t tokens = is.elements(0);
  kernel.sizes = {count, tokens > 0 && count % tokens == 0 ? count / tokens : 0};
  kernel.bytes = 2 * bytes_of(count, is.format(1));
  return kernel;
}

/// The result is argument 0, from both halves of argument 1.
MaybeKernel gated(const Arguments& is) {
  if (is.elements(0) == 0 || is.format(1) == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::activation, Pass::forward, is.format(1), is.format(0));
  kernel.traits = graph::kGated;
  const auto [count, row] = spread_of(is.shape(0));
  kernel.sizes = {count, row};
  kernel.bytes = is.bytes(0) + is.bytes(1);
  return kernel;
}

/// Along the dimensions of argument 1, where it says any, else everything. Overloads without
/// dimensions have two arguments at most, of which the second is a format (sum) or whether the
/// variance is unbiased. `out`: the result's format if that is not the input's.
template <Format out = Format::unsaid>
MaybeKernel reduce(const Arguments& is) {
  const TensorShape& shape = is.shape(0);
  const std::int64_t count = count_of(shape);
  if (count == 0 || is.format(0) == Format::unsaid) return std::nullopt;
  std::int64_t made = 1;
  const auto along = is.size() > 2 ? is.numbers(1) : std::vector<std::int64_t>();
  const auto dimensions = static_cast<std::int64_t>(shape.size());
  if (!along.empty()) made = count;
  for (const std::int64_t dim : along) {
    if (dim < -dimensions || dim >= dimensions) return std::nullopt;
    made /= shape[static_cast<std::size_t>(dim < 0 ? dim + dimensions : dim)];
  }
  const Format format = out == Format::unsaid ? is.format(0) : out;
  Kernel kernel = simple_kernel(Operation::reduction, Pass::forward, is.format(0), format);
  kernel.sizes = {count};
  kernel.flops = count;
  kernel.bytes = is.bytes(0) + bytes_of(made, format);
  return kernel;
}

constexpr std::array kElements = {
    NamedOperator{"aten::copy_", copy},
    NamedOperator{"aten::add_", kInPlace<2>},
    NamedOperator{"aten::add", kPlain<2>},
    NamedOperator{"aten::mul", kPlain<2>},
    NamedOperator{"aten::mul_", kInPlace<2>},
    NamedOperator{"aten::sub", kPlain<2>},
    NamedOperator{"aten::sub_", kInPlace<2>},
    NamedOperator{"aten::rsub", kPlain<2>},
    NamedOperator{"aten::div", kPlain<2>},
    NamedOperator{"aten::div_", kInPlace<2>},
    NamedOperator{"aten::pow", kPlain<1>},
    NamedOperator{"aten::rsqrt", kPlain<1>},
    NamedOperator{"aten::sqrt", kPlain<1>},
    NamedOperator{"aten::neg", kPlain<1>},
    NamedOperator{"aten::abs", kPlain<1>},
    NamedOperator{"aten::exp", kPlain<1>},
    NamedOperator{"aten::log", kPlain<1>},
    NamedOperator{"aten::sin", kPlain<1>},
    NamedOperator{"aten::cos", kPlain<1>},
    NamedOperator{"aten::reciprocal", kPlain<1>},
    NamedOperator{"aten::clamp", kPlain<1>},
    NamedOperator{"aten::tril", kPlain<1>},
    NamedOperator{"aten::triu", kPlain<1>},
    NamedOperator{"aten::cumsum", kPlain<1>},
    NamedOperator{"aten::lerp_", kInPlace<2>},
    NamedOperator{"aten::addcmul_", kInPlace<3>},
    NamedOperator{"aten::addcdiv_", kInPlace<3>},
    NamedOperator{"aten::addcmul", kPlain<3>},
    NamedOperator{"aten::addcdiv", kPlain<3>},
    NamedOperator{"aten::masked_fill_", kInPlace<2>},
    NamedOperator{"aten::masked_fill", kInPlace<2>},
    NamedOperator{"aten::where", each<Operation::elementwise, 3, Pass::forward, 1>},
    NamedOperator{"aten::mse_loss", kPlain<2>},
    NamedOperator{"aten::mse_loss_backward", each<Operation::elementwise, 3, Pass::input_grad, 1>},
    NamedOperator{"aten::eq", truth<2>},
    NamedOperator{"aten::ne", truth<2>},
    NamedOperator{"aten::lt", truth<2>},
    NamedOperator{"aten::le", truth<2>},
    NamedOperator{"aten::gt", truth<2>},
    NamedOperator{"aten::ge", truth<2>},
    NamedOperator{"aten::isnan", truth<1>},
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
    NamedOperator{"aten::native_dropout_backward", each<Operation::dropout, 2, Pass::input_grad>},
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
    NamedOperator{"_C::silu_and_mul", gated},
    NamedOperator{"_C::gelu_and_mul", gated},
    NamedOperator{"_C::rotary_embedding", rotary},
    NamedOperator{"_C::static_scaled_fp8_quant",
                  [](const Arguments& is) { return moved(is, 1, 0); }},
    NamedOperator{"_C_cache_ops::reshape_and_cache_flash", cached}};

constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;  // of any number of tensors

/// What Inductor fuses number by number: each of its tensors is read or written once; the last one
/// is a result.
MaybeKernel fused(const Arguments& is) {
  std::int64_t count = 0, bytes = 0;
  Format out = Format::unsaid;
  for (std::size_t i = 0; i < is.size(); ++i) {
    if (is.elements(i) == 0) continue;
    count = std::max(count, is.elements(i));
    if (is.bytes(i) > kMostBytes - bytes) return std::nullopt;
    bytes += is.bytes(i);
    out = is.format(i);
  }
  if (count == 0 || out == Format::unsaid) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::elementwise, Pass::forward, is.format(0), out);
  kernel.sizes = {count};
  kernel.bytes = bytes;
  return kernel;
}
constexpr NamedOperator kFused = {"triton_poi_fused", fused};

}  // namespace

const NamedOperator* elements_operator(std::string_view name) {
  if (name.substr(0, kFused.name.size()) == kFused.name) return &kFused;
  return find_in(kElements, name);
}

}  // namespace orrery::trace::operators
