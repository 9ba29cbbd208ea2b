// SPDX-License-Identifier: Apache-2.0
//
// The dimensions of a job, of which the sizes of its ops are sums of products.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "orrery/workload/program/program.h"

namespace orrery::generative {

/// One per dimension; factor_name() names them. Weights are those of one rank, in elements.
enum class Factor : std::uint8_t {
  one,
  tokens,          ///< of a microbatch on a rank
  sharded_tokens,  ///< tokens, divided by tp with sequence parallelism
  sequences,       ///< of a microbatch
  sequence_length,
  hidden,
  query_width,  ///< heads × head size
  kv_width,     ///< heads of keys × head size
  qkv_width,    ///< query_width + 2 kv_width
  heads,
  kv_heads,
  head_size,
  ffn,
  vocabulary,
  experts,
  chosen_experts,  ///< of a token
  expert_ffn,
  tp,
  tp_peers,  ///< tp - 1
  cp,
  dp,
  shards,  ///< ranks of dp_shard
  ep,
  expert_tp,
  expert_dp,
  stages,
  stage,
  chunk,
  layers,                ///< of the chunk
  layer_weights,         ///< of a layer without experts
  expert_layer_weights,  ///< of a layer with experts, the experts excluded
  experts_weights,       ///< of the experts of a layer
  embedding_weights,
  head_weights,
  stage_weights,          ///< of the rank, without experts
  stage_experts_weights,  ///< of the experts of the rank
  replicated_weights,     ///< of the rank, identical on all ranks of tp
  layer_shard,            ///< the shards: weights / shards, rounded up
  expert_layer_shard,
  experts_shard,
  embedding_shard,
  head_shard,
  stage_shard,
  stage_experts_shard,
  parts_shard,  ///< the sum of the shards of all parts of the rank
  parts_experts_shard,
  replicated_shard,
  count
};
inline constexpr std::size_t kFactors = static_cast<std::size_t>(Factor::count);
[[nodiscard]] std::string_view factor_name(Factor factor);

using FactorValues = std::array<std::int64_t, kFactors>;

/// The values for a chunk of a role. Uses the plan, the mesh and the parts of the program, not its
/// ops.
[[nodiscard]] FactorValues factors_of(const workload::Program& program, std::uint32_t role,
                                      std::uint32_t chunk);

}  // namespace orrery::generative
