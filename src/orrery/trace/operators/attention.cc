// SPDX-License-Identifier: Apache-2.0
//
// Fused attention. Sources of argument orders: PyTorch's native_functions.yaml, flash-attention's
// flash_attn_interface.py.
#include <algorithm>
#include <array>

#include "orrery/trace/operators/operator_tables.h"

namespace orrery::trace::operators {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// Indices of the queries (keys and values follow), and of the arguments for masks and packing.
struct AttentionArguments {
  std::size_t queries, causal;
  bool tokens_first;  ///< batch, tokens, heads, size; else batch, heads, tokens, size
  Pass pass = Pass::forward;
  /// Begins of the sequences in packed tensors: of queries, then of keys; then both maximum
  /// lengths.
  std::size_t lengths = kNoArgument;
  std::size_t window = kNoArgument;  ///< number of earlier keys that a query uses; -1: all
};

/// In the order of graph::Kernel::sizes.
struct AttentionSizes {
  std::int64_t batch, heads, kv_heads, queries, keys, key_dim, value_dim;
};

/// Length of each of `batch` sequences with `tokens` in total; 0 unless all are known to have equal
/// lengths. `longest`: index of the maximum length.
std::int64_t equal_length(const Arguments& args, std::int64_t tokens, std::int64_t batch,
                          std::size_t longest) {
  if (batch < 1 || tokens % batch != 0) return 0;
  const std::vector<std::int64_t> longest_length = args.numbers(longest);
  const bool equal =
      batch == 1 || (longest_length.size() == 1 && longest_length.front() == tokens / batch);
  return equal ? tokens / batch : 0;
}

std::optional<AttentionSizes> sizes_of(const Arguments& args, const AttentionArguments& at) {
  const TensorShape &q = args.shape(at.queries), &k = args.shape(at.queries + 1),
                    &v = args.shape(at.queries + 2);
  const bool packed = args.elements(at.lengths) > 0, tokens_first = packed || at.tokens_first;
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
  sizes.batch = args.elements(at.lengths) - 1;
  sizes.queries = equal_length(args, sizes.queries, sizes.batch, at.lengths + 2);
  sizes.keys = equal_length(args, sizes.keys, sizes.batch, at.lengths + 3);
  return sizes.queries > 0 && sizes.keys > 0 ? std::optional(sizes) : std::nullopt;
}

/// Twice the number of computed (query, key) pairs of one head and sequence. `seen`: maximum number
/// of keys per query. With a causal mask, the last query uses the last key.
std::int64_t twice_pairs(const AttentionSizes& of, bool causal, std::int64_t seen) {
  if (!causal) return 2 * of.queries * seen;
  const std::int64_t before = std::max<std::int64_t>(of.keys - of.queries, 0);
  const std::int64_t cut = std::max<std::int64_t>(seen - before, 0);
  return 2 * of.queries * seen - cut * cut;
}

/// Nothing if the arguments do not show whether it is causal, which halves the FLOPs. Packed
/// sequences must have equal lengths; otherwise the FLOPs are unknown.
MaybeKernel attention(const Arguments& args, const AttentionArguments& at) {
  const auto sizes = sizes_of(args, at);
  const graph::Format format = args.format(at.queries);
  const std::int64_t width = graph::bits_of(format) / 8;
  const std::vector<std::int64_t> mask = args.numbers(at.causal);
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
  const std::vector<std::int64_t> window = args.numbers(at.window);
  if (!window.empty() && window.front() >= 0 && window.front() < seen - 1) {
    if (!causal) return std::nullopt;  // the window also covers later keys
    kernel.sizes[7] = seen = window.front() + 1;
  }
  const std::int64_t scores = rows / sizes->queries * twice_pairs(*sizes, causal, seen);
  const std::int64_t keys = scores * sizes->key_dim, values = scores * sizes->value_dim;
  const std::int64_t numbers = args.elements(at.queries) + args.elements(at.queries + 1) +
                               args.elements(at.queries + 2) + rows * sizes->value_dim;
  const bool is_backward = at.pass != Pass::forward;
  const std::int64_t statistics = 4 * rows;
  kernel.flops = is_backward ? 3 * keys + 2 * values : keys + values;
  kernel.bytes = numbers * width * (is_backward ? 2 : 1) + statistics;
  return kernel;
}

template <AttentionArguments at>
MaybeKernel attention_at(const Arguments& args) {
  return attention(args, at);
}

constexpr AttentionArguments kSdpaFlash = {0, 4, false};
constexpr AttentionArguments kSdpa = {0, 6, false};
constexpr AttentionArguments kFlash = {0, 8, true, Pass::forward, 3, 11};
constexpr AttentionArguments kEfficient = {0, 9, true, Pass::forward, 4};
constexpr AttentionArguments kCudnn = {0, 10, false, Pass::forward, 4};
constexpr AttentionArguments kSdpaFlashBack = {1, 11, false, Pass::backward, 6};
constexpr AttentionArguments kSdpaEfficientBack = {1, 11, false, Pass::backward};
constexpr AttentionArguments kSdpaCudnnBack = {1, 14, false, Pass::backward, 9};
constexpr AttentionArguments kFlashBack = {1, 11, true, Pass::backward, 6, 15};
constexpr AttentionArguments kEfficientBack = {1, 14, true, Pass::backward, 6};
constexpr AttentionArguments kFlashAttn = {0, 5, true, Pass::forward, kNoArgument, 6};
constexpr AttentionArguments kFlashAttnBack = {1, 11, true, Pass::backward, kNoArgument, 12};
constexpr AttentionArguments kVarlen = {0, 9, true, Pass::forward, 3, 10};
constexpr AttentionArguments kVarlenBack = {1, 15, true, Pass::backward, 9, 16};

constexpr std::array kAttention = {
    NamedOperator{"aten::_scaled_dot_product_flash_attention", attention_at<kSdpaFlash>, true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention", attention_at<kSdpa>, true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention", attention_at<kSdpa>, true},
    NamedOperator{"aten::_flash_attention_forward", attention_at<kFlash>, true},
    NamedOperator{"aten::_efficient_attention_forward", attention_at<kEfficient>, true},
    NamedOperator{"aten::_cudnn_attention_forward", attention_at<kCudnn>, true},
    NamedOperator{"aten::_scaled_dot_product_flash_attention_backward",
                  attention_at<kSdpaFlashBack>, true},
    NamedOperator{"aten::_scaled_dot_product_efficient_attention_backward",
                  attention_at<kSdpaEfficientBack>, true},
    NamedOperator{"aten::_scaled_dot_product_cudnn_attention_backward",
                  attention_at<kSdpaCudnnBack>, true},
    NamedOperator{"aten::_flash_attention_backward", attention_at<kFlashBack>, true},
    NamedOperator{"aten::_efficient_attention_backward", attention_at<kEfficientBack>, true},
    NamedOperator{"FlashAttnFunc", attention_at<kFlashAttn>, true},
    NamedOperator{"FlashAttnVarlenFunc", attention_at<kVarlen>, true},
    NamedOperator{"flash_attn::_flash_attn_forward", attention_at<kFlashAttn>, true},
    NamedOperator{"flash_attn::_flash_attn_backward", attention_at<kFlashAttnBack>, true},
    NamedOperator{"flash_attn::_flash_attn_varlen_forward", attention_at<kVarlen>, true},
    NamedOperator{"flash_attn::_flash_attn_varlen_backward", attention_at<kVarlenBack>, true}};

}  // namespace

const NamedOperator* attention_operator(std::string_view name) { return find_in(kAttention, name); }

}  // namespace orrery::trace::operators
