// SPDX-License-Identifier: Apache-2.0
//
// Attention in one kernel. Sources of argument orders: PyTorch's native_functions.yaml,
// flash-attention's flash_attn_interface.py.
#include <algorithm>
#include <array>

#include "orrery/trace/operators/makers.h"

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Where queries stand (keys and values behind them), and what says that it is causal.
struct AttentionPlaces {
  std::size_t queries, causal;
  bool tokens_first;  ///< batch, tokens, heads, size; else batch, heads, tokens, size
  Pass pass = Pass::forward;
};

MaybeKernel attention(const Arguments& is, const AttentionPlaces& at) {
  const TensorShape &q = is.shape(at.queries), &k = is.shape(at.queries + 1),
                    &v = is.shape(at.queries + 2);
  for (const TensorShape* each : {&q, &k, &v})
    if (each->size() != 4 || count_of(*each) == 0) return std::nullopt;
  const std::size_t tokens = at.tokens_first ? 1 : 2, heads = at.tokens_first ? 2 : 1;
  const graph::Format format = is.format(at.queries);
  const std::int64_t width = graph::bits_of(format) / 8;
  if (width == 0 || q[3] != k[3] || k[tokens] != v[tokens]) return std::nullopt;
  Kernel kernel;
  kernel.operation = Operation::attention;
  kernel.pass = at.pass;
  kernel.a = kernel.b = kernel.out = format;
  kernel.sizes = {q[0], q[heads], k[heads], q[tokens], k[tokens], q[3], v[3]};
  const std::int64_t rows = q[0] * q[heads];
  const std::int64_t out = count_of(std::array{rows, q[tokens], v[3]});
  if (out == 0 || count_of(std::array{count_of(q), k[tokens], v[3]}) == 0) return std::nullopt;
  // Twice the pairs of query and key that are not masked.
  std::int64_t pairs = 2 * q[tokens] * k[tokens];
  if (is.is_set(at.causal)) {
    kernel.traits = graph::kCausal;
    const std::int64_t seen = std::min(q[tokens], k[tokens]);
    pairs -= seen * seen;
  }
  const std::int64_t keys = rows * pairs * q[3], values = rows * pairs * v[3];
  const std::int64_t tensors = (count_of(q) + count_of(k) + count_of(v) + out) * width;
  const bool back = at.pass != Pass::forward;
  const std::int64_t statistics = 4 * rows * q[tokens];
  kernel.flops = back ? 3 * keys + 2 * values : keys + values;
  kernel.bytes = tensors * (back ? 2 : 1) + statistics;
  return kernel;
}

MaybeKernel sdpa_flash(const Arguments& is) { return attention(is, {0, 4, false}); }
MaybeKernel sdpa_efficient(const Arguments& is) { return attention(is, {0, 6, false}); }
MaybeKernel flash(const Arguments& is) { return attention(is, {0, 8, true}); }
MaybeKernel efficient(const Arguments& is) { return attention(is, {0, 9, true}); }
MaybeKernel cudnn_attention(const Arguments& is) { return attention(is, {0, 10, false}); }
MaybeKernel flash_attn(const Arguments& is) { return attention(is, {0, 5, true}); }
MaybeKernel sdpa_flash_back(const Arguments& is) {
  return attention(is, {1, 11, false, Pass::backward});
}
MaybeKernel sdpa_efficient_back(const Arguments& is) {
  return attention(is, {1, 11, false, Pass::backward});
}
MaybeKernel sdpa_cudnn_back(const Arguments& is) {
  return attention(is, {1, 14, false, Pass::backward});
}
MaybeKernel flash_back(const Arguments& is) { return attention(is, {1, 11, true, Pass::backward}); }
MaybeKernel efficient_back(const Arguments& is) {
  return attention(is, {1, 14, true, Pass::backward});
}

constexpr std::array kAttention = {
    NamedOperator{"aten::_scaled_dot_product_flash_attention", sdpa_flash, true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention", sdpa_efficient, true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention", sdpa_efficient, true},
    NamedOperator{"aten::_flash_attention_forward", flash, true},
    NamedOperator{"aten::_efficient_attention_forward", efficient, true},
    NamedOperator{"aten::_cudnn_attention_forward", cudnn_attention, true},
    NamedOperator{"aten::_scaled_dot_product_flash_attention_backward", sdpa_flash_back, true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention_backward", sdpa_efficient_back,
                  true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention_backward", sdpa_cudnn_back, true},
    NamedOperator{"aten::_flash_attention_backward", flash_back, true},
    NamedOperator{"aten::_efficient_attention_backward", efficient_back, true},
    NamedOperator{"FlashAttnFunc", flash_attn, true},
    NamedOperator{"flash_attn::_flash_attn_forward", flash_attn, true},
    NamedOperator{"flash_attn::_flash_attn_backward", flash_back, true}};

}  // namespace

const NamedOperator* attention_operator(std::string_view name) { return find_in(kAttention, name); }

}  // namespace orrery::trace::operators
