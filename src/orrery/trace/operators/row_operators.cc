// SPDX-License-Identifier: Apache-2.0
//
// What works along rows or channels: norms, softmax, losses, pooling. Source of argument orders:
// PyTorch's native_functions.yaml, vLLM's csrc/torch_bindings.cpp.
#include <algorithm>
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Rows of `features` of argument `x`, of whose size `tensors` are read and written, with
/// `beside` bytes more.
MaybeKernel along(const Arguments& is, std::size_t x, std::int64_t features, const Kernel& like,
                  std::int64_t tensors, std::int64_t beside = 0) {
  const std::int64_t count = is.elements(x);
  if (count == 0 || features < 1 || count % features != 0) return std::nullopt;
  Kernel kernel = like;
  kernel.sizes = {count / features, features};
  kernel.bytes = tensors * is.bytes(x) + beside;
  return kernel;
}

std::int64_t last_of(const Arguments& is, std::size_t x) {
  return is.shape(x).empty() ? 0 : is.shape(x).back();
}

/// What a norm is over: as many numbers as it has weights, else the last dimension.
std::int64_t features_of(const Arguments& is, std::size_t x, std::size_t weight) {
  const std::int64_t weights = is.elements(weight);
  return weights > 0 ? weights : last_of(is, x);
}

struct NormPlaces {
  Operation operation;
  Pass pass;
  std::size_t x, weight, bias;
  std::int64_t tensors;
};

MaybeKernel norm(const Arguments& is, const NormPlaces& at) {
  const graph::Format format = is.format(at.x);
  std::int64_t beside = is.bytes(at.weight) + is.bytes(at.bias);
  if (at.pass == Pass::backward) beside *= 2;  // and their gradients
  return along(is, at.x, features_of(is, at.x, at.weight),
               simple_kernel(at.operation, at.pass, format, format), at.tensors, beside);
}

MaybeKernel layer_norm(const Arguments& is) {
  return norm(is, {Operation::layer_norm, Pass::forward, 0, 2, 3, 2});
}
MaybeKernel layer_norm_back(const Arguments& is) {
  return norm(is, {Operation::layer_norm, Pass::backward, 0, 5, 6, 3});
}
MaybeKernel rms_norm(const Arguments& is) {
  return norm(is, {Operation::rms_norm, Pass::forward, 0, 2, kNoArgument, 2});
}
MaybeKernel rms_norm_back(const Arguments& is) {
  return norm(is, {Operation::rms_norm, Pass::backward, 0, 4, kNoArgument, 3});
}
MaybeKernel vllm_rms_norm(const Arguments& is) {
  return norm(is, {Operation::rms_norm, Pass::forward, 1, 2, kNoArgument, 2});
}
MaybeKernel vllm_added_rms_norm(const Arguments& is) {
  auto kernel = norm(is, {Operation::rms_norm, Pass::forward, 0, 2, kNoArgument, 4});
  if (kernel) kernel->traits = graph::kEpilogue;
  return kernel;
}

/// Statistics are of a channel; the kernel has no rows of its own.
MaybeKernel batch_norm(const Arguments& is, Pass pass, std::int64_t tensors) {
  const std::int64_t count = is.elements(0);
  if (count == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::batch_norm, pass, is.format(0), is.format(0));
  kernel.sizes = {count};
  kernel.bytes = tensors * is.bytes(0);
  return kernel;
}
MaybeKernel batch_norm_forward(const Arguments& is) { return batch_norm(is, Pass::forward, 2); }
MaybeKernel batch_norm_back(const Arguments& is) { return batch_norm(is, Pass::backward, 3); }

/// Along dimension `dim`, the last where nothing is said.
MaybeKernel softmax(const Arguments& is, Pass pass, std::size_t dim, std::int64_t tensors) {
  const TensorShape& shape = is.shape(0);
  const std::vector<std::int64_t> said = is.numbers(dim);
  const auto dimensions = static_cast<std::int64_t>(shape.size());
  std::int64_t place = said.size() == 1 ? said.front() : -1;
  if (place < -dimensions || place >= dimensions) return std::nullopt;
  if (place < 0) place += dimensions;
  const graph::Format format = is.format(0);
  return along(is, 0, shape[static_cast<std::size_t>(place)],
               simple_kernel(Operation::softmax, pass, format, format), tensors);
}
MaybeKernel softmax_forward(const Arguments& is) { return softmax(is, Pass::forward, 1, 2); }
MaybeKernel softmax_back(const Arguments& is) { return softmax(is, Pass::input_grad, 2, 3); }

/// Of each row of scores one number is read, or written.
MaybeKernel loss(const Arguments& is, std::size_t scores, Pass pass) {
  if (is.shape(scores).size() != 2) return std::nullopt;
  const graph::Format format = is.format(scores);
  auto kernel = along(is, scores, last_of(is, scores),
                      simple_kernel(Operation::cross_entropy, pass, format, format), 0);
  if (kernel) kernel->bytes = kernel->sizes[0] * (8 + graph::bits_of(format) / 8);
  return kernel;
}
MaybeKernel nll_loss(const Arguments& is) { return loss(is, 0, Pass::forward); }
MaybeKernel nll_loss_back(const Arguments& is) { return loss(is, 1, Pass::input_grad); }

/// Places of what says how windows stand.
struct WindowPlaces {
  std::size_t dilation = kNoArgument, ceil_mode = kNoArgument;
};

/// The result of windows over both sides of pictures; 0 where it is not known. Source of the rule
/// for ceil_mode: PyTorch, aten/src/ATen/native/Pool.h.
std::int64_t pooled_elements(const Arguments& is, const WindowPlaces& at) {
  const TensorShape& x = is.shape(0);
  std::vector<std::int64_t> window = is.numbers(1), stride = is.numbers(2), padding = is.numbers(3),
                            dilation = is.numbers(at.dilation);
  if (x.size() < 3 || count_of(x) == 0 || window.empty()) return 0;
  if (stride.empty()) stride = window;
  if (padding.empty()) padding = {0};
  if (dilation.empty()) dilation = {1};
  std::int64_t made = count_of(x) / x[x.size() - 1] / x[x.size() - 2];
  for (std::size_t side = 0; side < 2; ++side) {
    const auto of = [&](const std::vector<std::int64_t>& all) {
      return all[std::min(side, all.size() - 1)];
    };
    const std::int64_t in = x[x.size() - 2 + side];
    std::int64_t along = places(in, of(window), of(stride), of(padding), of(dilation));
    if (along == 0) return 0;
    // One more that reaches beyond the end, if it begins before it.
    const std::int64_t reached = (along - 1) * of(stride) + of(dilation) * (of(window) - 1) + 1;
    const bool rest = reached < in + 2 * of(padding) && along * of(stride) < in + of(padding);
    if (rest && is.is_set(at.ceil_mode)) ++along;
    made = count_of(std::array{made, along});
  }
  return made;
}

MaybeKernel pool(const Arguments& is, std::int64_t made, std::size_t x, std::int64_t index_bytes,
                 Pass pass) {
  const graph::Format format = is.format(x);
  if (made == 0 || is.elements(x) == 0) return std::nullopt;
  Kernel kernel = simple_kernel(Operation::pooling, pass, format, format);
  kernel.sizes = {made};
  kernel.bytes = is.bytes(x) + bytes_of(made, format) + made * index_bytes;
  return kernel;
}
MaybeKernel max_pool(const Arguments& is) {
  return pool(is, pooled_elements(is, {.dilation = 4, .ceil_mode = 5}), 0, 8, Pass::forward);
}
MaybeKernel max_pool_back(const Arguments& is) {
  return pool(is, is.elements(0), 1, 8, Pass::input_grad);
}
MaybeKernel mean_pool(const Arguments& is) {
  return pool(is, pooled_elements(is, {.ceil_mode = 4}), 0, 0, Pass::forward);
}
MaybeKernel mean_pool_back(const Arguments& is) {
  return pool(is, is.elements(0), 1, 0, Pass::input_grad);
}

/// To pictures of given sides.
MaybeKernel adaptive_pool(const Arguments& is) {
  const TensorShape& x = is.shape(0);
  const std::vector<std::int64_t> sides = is.numbers(1);
  if (x.size() < 3 || count_of(x) == 0 || sides.size() != 2) return std::nullopt;
  const std::int64_t maps = count_of(x) / x[x.size() - 1] / x[x.size() - 2];
  return pool(is, count_of(std::array{maps, sides[0], sides[1]}), 0, 0, Pass::forward);
}

constexpr std::array kRows = {
    NamedOperator{"aten::native_layer_norm", layer_norm},
    NamedOperator{"aten::native_layer_norm_backward", layer_norm_back},
    NamedOperator{"aten::_fused_rms_norm", rms_norm},
    NamedOperator{"aten::_fused_rms_norm_backward", rms_norm_back},
    NamedOperator{"_C::rms_norm", vllm_rms_norm},
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

const NamedOperator* rows_operator(std::string_view name) { return find_in(kRows, name); }

}  // namespace orrery::trace::operators
