// SPDX-License-Identifier: Apache-2.0
//
// Operators along rows or channels: norms, softmax, losses, pooling. Source of argument orders:
// PyTorch's native_functions.yaml, vLLM's csrc/torch_bindings.cpp.
#include <algorithm>
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Kernel over rows of `features` elements of argument `x`: it reads and writes `tensors` tensors
/// of the size of `x` and `extra_bytes` in addition.
MaybeKernel row_kernel(const Arguments& args, std::size_t x, std::int64_t features,
                       const Kernel& like, std::int64_t tensors, std::int64_t extra_bytes = 0) {
  const std::int64_t count = args.elements(x);
  if (count == 0 || features < 1 || count % features != 0) return std::nullopt;
  Kernel kernel = like;
  kernel.sizes = {count / features, features};
  kernel.bytes = tensors * args.bytes(x) + extra_bytes;
  return kernel;
}

std::int64_t last_dim(const Arguments& args, std::size_t x) {
  return args.shape(x).empty() ? 0 : args.shape(x).back();
}

/// Number of normalized elements: the number of weights, or without weights the last dimension.
std::int64_t features_of(const Arguments& args, std::size_t x, std::size_t weight) {
  const std::int64_t weights = args.elements(weight);
  return weights > 0 ? weights : last_dim(args, x);
}

struct NormArguments {
  Operation operation;
  Pass pass;
  std::size_t x, weight, bias;
  std::int64_t tensors;
};

template <NormArguments at>
MaybeKernel norm(const Arguments& args) {
  const graph::Format format = args.format(at.x);
  std::int64_t extra_bytes = args.bytes(at.weight) + args.bytes(at.bias);
  if (at.pass == Pass::backward) extra_bytes *= 2;  // also their gradients
  return row_kernel(args, at.x, features_of(args, at.x, at.weight),
                    simple_kernel(at.operation, at.pass, format, format), at.tensors, extra_bytes);
}

constexpr NormArguments kLayerNorm = {Operation::layer_norm, Pass::forward, 0, 2, 3, 2};
constexpr NormArguments kLayerNormBack = {Operation::layer_norm, Pass::backward, 0, 5, 6, 3};
constexpr NormArguments kRmsNorm = {Operation::rms_norm, Pass::forward, 0, 2, kNoArgument, 2};
constexpr NormArguments kRmsNormBack = {Operation::rms_norm, Pass::backward, 0, 4, kNoArgument, 3};
constexpr NormArguments kVllmRmsNorm = {Operation::rms_norm, Pass::forward, 1, 2, kNoArgument, 2};
constexpr NormArguments kVllmAddedNorm = {Operation::rms_norm, Pass::forward, 0, 2, kNoArgument, 4};

MaybeKernel vllm_added_rms_norm(const Arguments& args) {
  auto kernel = norm<kVllmAddedNorm>(args);
  if (kernel) kernel->traits = graph::kEpilogue;
  return kernel;
}

/// Statistics are per channel; the kernel has no row size.
MaybeKernel batch_norm(const Arguments& args, Pass pass, std::int64_t tensors) {
  const std::int64_t count = args.elements(0);
  if (count == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::batch_norm, pass, args.format(0), args.format(0));
  kernel.sizes = {count};
  kernel.bytes = tensors * args.bytes(0);
  return kernel;
}
MaybeKernel batch_norm_forward(const Arguments& args) { return batch_norm(args, Pass::forward, 2); }
MaybeKernel batch_norm_back(const Arguments& args) { return batch_norm(args, Pass::backward, 3); }

/// Along dimension `dim`, or the last one if not given.
MaybeKernel softmax(const Arguments& args, Pass pass, std::size_t dim, std::int64_t tensors) {
  const TensorShape& shape = args.shape(0);
  const std::vector<std::int64_t> recorded_dim = args.numbers(dim);
  const auto dimensions = static_cast<std::int64_t>(shape.size());
  std::int64_t place = recorded_dim.size() == 1 ? recorded_dim.front() : -1;
  if (place < -dimensions || place >= dimensions) return std::nullopt;
  if (place < 0) place += dimensions;
  const graph::Format format = args.format(0);
  return row_kernel(args, 0, shape[static_cast<std::size_t>(place)],
                    simple_kernel(Operation::softmax, pass, format, format), tensors);
}
MaybeKernel softmax_forward(const Arguments& args) { return softmax(args, Pass::forward, 1, 2); }
MaybeKernel softmax_back(const Arguments& args) { return softmax(args, Pass::input_grad, 2, 3); }

/// Of each row of scores, one number is read or written.
MaybeKernel loss(const Arguments& args, std::size_t scores, Pass pass) {
  if (args.shape(scores).size() != 2) return std::nullopt;
  const graph::Format format = args.format(scores);
  auto kernel = row_kernel(args, scores, last_dim(args, scores),
                           simple_kernel(Operation::cross_entropy, pass, format, format), 0);
  if (kernel) kernel->bytes = kernel->sizes[0] * (8 + graph::bits_of(format) / 8);
  return kernel;
}
MaybeKernel nll_loss(const Arguments& args) { return loss(args, 0, Pass::forward); }
MaybeKernel nll_loss_back(const Arguments& args) { return loss(args, 1, Pass::input_grad); }

/// Indices of the arguments that describe windows.
struct WindowArguments {
  std::size_t dilation = kNoArgument, ceil_mode = kNoArgument;
};

/// Number of elements after pooling both sides of pictures; 0 if unknown. Source of the rule for
/// ceil_mode: PyTorch, aten/src/ATen/native/Pool.h.
std::int64_t pooled_elements(const Arguments& args, const WindowArguments& at) {
  const TensorShape& x = args.shape(0);
  std::vector<std::int64_t> window = args.numbers(1), stride = args.numbers(2),
                            padding = args.numbers(3), dilation = args.numbers(at.dilation);
  if (x.size() < 3 || count_of(x) == 0 || window.empty()) return 0;
  if (stride.empty()) stride = window;
  if (padding.empty()) padding = {0};
  if (dilation.empty()) dilation = {1};
  std::int64_t outputs = count_of(x) / x[x.size() - 1] / x[x.size() - 2];
  for (std::size_t side = 0; side < 2; ++side) {
    const auto of = [&](const std::vector<std::int64_t>& all) {
      return all[std::min(side, all.size() - 1)];
    };
    const std::int64_t in = x[x.size() - 2 + side];
    std::int64_t windows = window_count(in, of(window), of(stride), of(padding), of(dilation));
    if (windows == 0) return 0;
    // One more window, which reaches beyond the end, if it begins before the end.
    const std::int64_t reached = (windows - 1) * of(stride) + of(dilation) * (of(window) - 1) + 1;
    const bool rest = reached < in + 2 * of(padding) && windows * of(stride) < in + of(padding);
    if (rest && args.is_set(at.ceil_mode)) ++windows;
    outputs = count_of(std::array{outputs, windows});
  }
  return outputs;
}

MaybeKernel pool(const Arguments& args, std::int64_t outputs, std::size_t x,
                 std::int64_t index_bytes, Pass pass) {
  const graph::Format format = args.format(x);
  if (outputs == 0 || args.elements(x) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::pooling, pass, format, format);
  kernel.sizes = {outputs};
  kernel.bytes = args.bytes(x) + bytes_of(outputs, format) + outputs * index_bytes;
  return kernel;
}
MaybeKernel max_pool(const Arguments& args) {
  return pool(args, pooled_elements(args, {.dilation = 4, .ceil_mode = 5}), 0, 8, Pass::forward);
}
MaybeKernel max_pool_back(const Arguments& args) {
  return pool(args, args.elements(0), 1, 8, Pass::input_grad);
}
MaybeKernel mean_pool(const Arguments& args) {
  return pool(args, pooled_elements(args, {.ceil_mode = 4}), 0, 0, Pass::forward);
}
MaybeKernel mean_pool_back(const Arguments& args) {
  return pool(args, args.elements(0), 1, 0, Pass::input_grad);
}

/// Pools to given sides.
MaybeKernel adaptive_pool(const Arguments& args) {
  const TensorShape& x = args.shape(0);
  const std::vector<std::int64_t> sides = args.numbers(1);
  if (x.size() < 3 || count_of(x) == 0 || sides.size() != 2) return std::nullopt;
  const std::int64_t maps = count_of(x) / x[x.size() - 1] / x[x.size() - 2];
  return pool(args, count_of(std::array{maps, sides[0], sides[1]}), 0, 0, Pass::forward);
}

constexpr std::array kRows = {
    NamedOperator{"aten::native_layer_norm", norm<kLayerNorm>},
    NamedOperator{"aten::native_layer_norm_backward", norm<kLayerNormBack>},
    NamedOperator{"aten::_fused_rms_norm", norm<kRmsNorm>},
    NamedOperator{"aten::_fused_rms_norm_backward", norm<kRmsNormBack>},
    NamedOperator{"_C::rms_norm", norm<kVllmRmsNorm>},
    NamedOperator{"_C::fused_add_rms_norm", vllm_added_rms_norm},
    NamedOperator{"aten::native_batch_norm", batch_norm_forward},
    NamedOperator{"aten::_native_batch_norm_legit", batch_norm_forward},
    NamedOperator{"aten::_batch_norm_with_update", batch_norm_forward},
    NamedOperator{"aten::cudnn_batch_norm", batch_norm_forward},
    NamedOperator{"aten::miopen_batch_norm", batch_norm_forward},
    NamedOperator{"aten::native_batch_norm_backward", batch_norm_back},
    NamedOperator{"aten::batch_norm_backward", batch_norm_back},
    NamedOperator{"aten::cudnn_batch_norm_backward", batch_norm_back},
    NamedOperator{"aten::miopen_batch_norm_backward", batch_norm_back},
    NamedOperator{"aten::_softmax", softmax_forward, true},
    NamedOperator{"aten::_log_softmax", softmax_forward, true},
    NamedOperator{"aten::_softmax_backward_data", softmax_back, true},
    NamedOperator{"aten::_log_softmax_backward_data", softmax_back, true},
    NamedOperator{"aten::nll_loss_forward", nll_loss},
    NamedOperator{"aten::nll_loss_backward", nll_loss_back},
    NamedOperator{"aten::max_pool2d_with_indices", max_pool, true},
    NamedOperator{"aten::max_pool2d_with_indices_backward", max_pool_back},
    NamedOperator{"aten::avg_pool2d", mean_pool, true},
    NamedOperator{"aten::avg_pool2d_backward", mean_pool_back},
    NamedOperator{"aten::_adaptive_avg_pool2d", adaptive_pool, true},
    NamedOperator{"aten::_adaptive_avg_pool2d_backward", mean_pool_back}};

}  // namespace

const NamedOperator* row_operator(std::string_view name) { return find_in(kRows, name); }

}  // namespace orrery::trace::operators
