// SPDX-License-Identifier: Apache-2.0
//
// Which matrices of a model adapters can stand beside, what they are called, how large they are.
//
//   q, k, v        queries, keys, values, an adapter each (PEFT on LLaMA: q_proj, k_proj, v_proj)
//   qkv            one for the three together (Megatron's linear_qkv; PEFT on GPT-2: c_attn)
//   q_down, q_up, kv_down, kv_up
//                  latent attention's matrices; `q` where queries are not compressed
//   out            the attention's output projection
//   gate, up       the two halves of a gated MLP's first matrix, an adapter each
//   mlp_up         one for the MLP's whole first matrix (Megatron's linear_fc1)
//   mlp_down       the MLP's last matrix
//
// The MLP's words mean shared experts, too. Routed experts, routers, norms, tables and heads have
// no adapters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// The words above that the model has matrices for. Empty for families without attention and for
/// DiT.
[[nodiscard]] std::vector<std::string_view> adaptable_matrices(const Model& model);

/// Lora::targets; where they are empty every matrix, each with an adapter of its own. Empty without
/// `lora`.
[[nodiscard]] std::vector<std::string> adapted_matrices(const Spec& spec);

/// Whether adapters stand beside the matrix of that name.
[[nodiscard]] bool is_adapted(const Spec& spec, std::string_view matrix);

/// Weights of all adapters, from the model's shape: rank × (in + out) each. 0 without `lora`.
/// Source: Hu et al., section 4.1.
[[nodiscard]] std::int64_t count_adapters(const Spec& spec);

}  // namespace orrery::workload
