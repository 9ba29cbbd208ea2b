// SPDX-License-Identifier: Apache-2.0
//
// Attention in one kernel. Sources of argument orders: PyTorch's native_functions.yaml,
// flash-attention's flash_attn_interface.py.
#include <algorithm>
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Where queries stand (keys and values behind them), and what says how they are masked and packed.
struct AttentionPlaces {
  std::size_t queries, causal;
  bool tokens_first;  ///< batch, tokens, heads, size; else batch, heads, tokens, size
  Pass pass = Pass::forward;
  /// Where the sequences of packed tensors begin: of queries, of keys; the longest ones' lengths.
  std::size_t lengths = kNoArgument;
  std::size_t window = kNoArgument;  ///< keys before its own that a query sees; -1: all
};

/// In the order of the kernel's sizes.
struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, queries, keys, key_dim, value_dim;
};

/// The length of each of `batch` sequences that have so many tokens together; 0 where they are not
/// known to have the same. `longest`: the place of the longest one's.
std::int64_t length_of_each(const Arguments& is, std::int64_t tokens, std::int64_t batch,
                            std::size_t longest) {
  if (batch < 1 || tokens % batch != 0) return 0;
  const std::vector<std::int64_t> said = is.numbers(longest);
  const bool equal = batch == 1 || (said.size() == 1 && said.front() == tokens / batch);
  return equal ? tokens / batch : 0;
}

std::optional<AttentionSizes> sizes_of(const Arguments& is, const AttentionPlaces& at) {
  const TensorShape &q = is.shape(at.queries), &k = is.shape(at.queries + 1),
                    &v = is.shape(at.queries + 2);
  const bool packed = is.elements(at.lengths) > 0, tokens_first = packed || at.tokens_first;
  const std::size_t dimensions = q.size();
  for (const TensorShape* each : {&q, &k, &v})
    if (each->size() != dimensions || count_of(*each) == 0) return std::nullopt;
  if (dimensions != 4 && !(packed && dimensions == 3)) return std::nullopt;
  const std::size_t tokens = dimensions - (tokens_first ? 3 : 2);
  const std::size_t heads = dimensions - (tokens_first ? 2 : 3);
  if (q.back() != k.back() || k[tokens] != v[tokens]) return std::nullopt;
  AttentionSizes sizes = {1, q[heads], k[heads], q[tokens], k[tokens], q.back(), v.back()};
  if (!packed) {
    sizes.batch = q[0];
    return sizes;
  }
  if (dimensions == 4 && q[0] != 1) return std::nullopt;
  sizes.batch = is.elements(at.lengths) - 1;
  sizes.queries = length_of_each(is, sizes.queries, sizes.batch, at.lengths + 2);
  sizes.keys = length_of_each(is, sizes.keys, sizes.batch, at.lengths + 3);
  return sizes.queries > 0 && sizes.keys > 0 ? std::optional(sizes) : std::nullopt;
}

/// Twice the pairs of query and key that are computed, of one head and sequence. `seen`: how many
/// keys a query sees at the most; of causal attention the last key is the last query's own.
std::int64_t double_pairs(const AttentionSizes& of, bool causal, std::int64_t seen) {
  if (!causal) return 2 * of.queries * seen;
  const std::int64_t before = std::max<std::int64_t>(of.keys - of.queries, 0);
  const std::int64_t cut = std::max<std::int64_t>(seen - before, 0);
  return 2 * of.queries * seen - cut * cut;
}

/// Nothing where it is not said whether it is causal, which is half of the work. Of packed
/// sequences only if all have the same length: what different ones compute is not said.
MaybeKernel attention(const Arguments& is, const AttentionPlaces& at) {
  const auto sizes = sizes_of(is, at);
  const graph::Format format = is.format(at.queries);
  const std::int64_t width = graph::bits_of(format) / 8;
  const std::vector<std::int64_t> mask = is.numbers(at.causal);
  if (!sizes || width == 0 || mask.size() != 1) return std::nullopt;
  const std::int64_t rows = count_of(std::array{sizes->batch, sizes->heads, sizes->queries});
  for (const std::int64_t size : {sizes->key_dim, sizes->value_dim})
    if (count_of(std::array{rows, sizes->keys, size}) == 0) return std::nullopt;
  Kernel kernel;
  kernel.operation = Operation::attention;
  kernel.pass = at.pass;
  kernel.a = kernel.b = kernel.out = format;
  kernel.sizes = {sizes->batch, sizes->heads,   sizes->kv_heads, sizes->queries,
                  sizes->keys,  sizes->key_dim, sizes->value_dim};
  const bool causal = mask.front() != 0;
  if (causal) kernel.traits = graph::kCausal;
  std::int64_t seen = sizes->keys;
  const std::vector<std::int64_t> window = is.numbers(at.window);
  if (!window.empty() && window.front() >= 0 && window.front() < seen - 1) {
    if (!causal) return std::nullopt;  // and some behind its own
    kernel.sizes[7] = seen = window.front() + 1;
  }
  const std::int64_t scores = rows / sizes->queries * double_pairs(*sizes, causal, seen);
  const std::int64_t keys = scores * sizes->key_dim, values = scores * sizes->value_dim;
  const std::int64_t numbers = is.elements(at.queries) + is.elements(at.queries + 1) +
                               is.elements(at.queries + 2) + rows * sizes->value_dim;
  const bool back = at.pass != Pass::forward;
  const std::int64_t statistics = 4 * rows;
  kernel.flops = back ? 3 * keys + 2 * values : keys + values;
  kernel.bytes = numbers * width * (back ? 2 : 1) + statistics;
  return kernel;
}

template <AttentionPlaces at>
MaybeKernel at_places(const Arguments& is) {
  return attention(is, at);
}

constexpr AttentionPlaces kSdpaFlash = {0, 4, false};
constexpr AttentionPlaces kSdpa = {0, 6, false};
constexpr AttentionPlaces kFlash = {0, 8, true, Pass::forward, 3, 11};
constexpr AttentionPlaces kEfficient = {0, 9, true, Pass::forward, 4};
constexpr AttentionPlaces kCudnn = {0, 10, false, Pass::forward, 4};
constexpr AttentionPlaces kSdpaFlashBack = {1, 11, false, Pass::backward, 6};
constexpr AttentionPlaces kSdpaEfficientBack = {1, 11, false, Pass::backward};
constexpr AttentionPlaces kSdpaCudnnBack = {1, 14, false, Pass::backward, 9};
constexpr AttentionPlaces kFlashBack = {1, 11, true, Pass::backward, 6, 15};
constexpr AttentionPlaces kEfficientBack = {1, 14, true, Pass::backward, 6};
constexpr AttentionPlaces kFlashAttn = {0, 5, true, Pass::forward, kNoArgument, 6};
constexpr AttentionPlaces kFlashAttnBack = {1, 11, true, Pass::backward, kNoArgument, 12};
constexpr AttentionPlaces kVarlen = {0, 9, true, Pass::forward, 3, 10};
constexpr AttentionPlaces kVarlenBack = {1, 15, true, Pass::backward, 9, 16};

constexpr std::array kAttention = {
    NamedOperator{"aten::_scaled_dot_product_flash_attention", at_places<kSdpaFlash>, true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention", at_places<kSdpa>, true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention", at_places<kSdpa>, true},
    NamedOperator{"aten::_flash_attention_forward", at_places<kFlash>, true},
    NamedOperator{"aten::_efficient_attention_forward", at_places<kEfficient>, true},
    NamedOperator{"aten::_cudnn_attention_forward", at_places<kCudnn>, true},
    NamedOperator{"aten::_scaled_dot_product_flash_attention_backward", at_places<kSdpaFlashBack>,
                  true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention_backward",
                  at_places<kSdpaEfficientBack>, true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention_backward", at_places<kSdpaCudnnBack>,
                  true},
    NamedOperator{"aten::_flash_attention_backward", at_places<kFlashBack>, true},
    NamedOperator{"aten::_efficient_attention_backward", at_places<kEfficientBack>, true},
    NamedOperator{"FlashAttnFunc", at_places<kFlashAttn>, true},
    NamedOperator{"FlashAttnVarlenFunc", at_places<kVarlen>, true},
    NamedOperator{"flash_attn::_flash_attn_forward", at_places<kFlashAttn>, true},
    NamedOperator{"flash_attn::_flash_attn_backward", at_places<kFlashAttnBack>, true},
    NamedOperator{"flash_attn::_flash_attn_varlen_forward", at_places<kVarlen>, true},
    NamedOperator{"flash_attn::_flash_attn_varlen_backward", at_places<kVarlenBack>, true}};

}  // namespace

const NamedOperator* attention_operator(std::string_view name) { return find_in(kAttention, name); }

}  // namespace orrery::trace::operators
