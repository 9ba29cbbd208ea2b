// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's parts, and shapes that many models share.
#pragma once

#include <span>
#include <string_view>

#include "orrery/workload/spec/catalogue.h"

namespace orrery::workload {

// Sources that every family has.
inline constexpr std::string_view kHub = "Hugging Face, num_parameters()";
inline constexpr std::string_view kConfig = "config.json";

// One file each; within a file in the order of a family's sizes.
[[nodiscard]] std::span<const ModelEntry> gpt_models();
[[nodiscard]] std::span<const ModelEntry> llama_models();
[[nodiscard]] std::span<const ModelEntry> small_models();
[[nodiscard]] std::span<const ModelEntry> expert_models();
[[nodiscard]] std::span<const ModelEntry> other_models();

/// GPT-2's architecture: learned positions, layernorm, GELU, biases everywhere, tied tables.
[[nodiscard]] Model gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                        std::int64_t vocab, std::int64_t positions);

/// LLaMA's architecture: rotary positions, RMSNorm, SwiGLU, no biases.
struct LlamaShape {
  std::int64_t layers, hidden, ffn, heads, kv_heads, vocab;
  bool tied = false;
};
[[nodiscard]] Model llama(const LlamaShape& shape);

}  // namespace orrery::workload
