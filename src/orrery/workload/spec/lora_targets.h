// SPDX-License-Identifier: Apache-2.0
//
// Which matrices of a model can have adapters, with their names and sizes.
//
//   q, k, v        queries, keys, values, one adapter each (PEFT on LLaMA: q_proj, k_proj, v_proj)
//   qkv            one adapter for all three (Megatron's linear_qkv; PEFT on GPT-2: c_attn)
//   q_down, q_up, kv_down, kv_up
//                  matrices of latent attention; `q` if queries are not compressed
//   out            the attention's output projection
//   gate, up       the two halves of a gated MLP's first matrix, one adapter each
//   mlp_up         one adapter for the MLP's entire first matrix (Megatron's linear_fc1)
//   mlp_down       the MLP's last matrix
//
// The names of MLP matrices include shared experts. Routed experts, routers, norms, tables and
// heads have no adapters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The names above for which the model has matrices. Empty for families without attention and for
/// DiT.
[[nodiscard]] std::vector<std::string_view> adaptable_matrices(const Model& model);

/// Lora::targets; if these are empty, every matrix, each with its own adapter. Empty without
/// `lora`.
[[nodiscard]] std::vector<std::string> adapted_matrices(const Spec& spec);

/// Whether the matrix with this name has adapters.
[[nodiscard]] bool is_adapted(const Spec& spec, std::string_view matrix);

/// The number of adapter weights, from the model's shape: rank × (in + out) per matrix. 0 without
/// `lora`. Source: Hu et al., section 4.1.
[[nodiscard]] std::int64_t count_adapters(const Spec& spec);

}  // namespace orrery::workload
