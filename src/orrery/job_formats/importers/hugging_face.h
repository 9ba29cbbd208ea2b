// SPDX-License-Identifier: Apache-2.0
//
// Families of Hugging Face's models. Private to this room.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

/// A model_type and what reads its config.json.
using HuggingFaceFamily = std::pair<std::string_view, void (*)(config::KeyReader&, Model&)>;

/// Those that are not in hugging_face.cc.
[[nodiscard]] std::span<const HuggingFaceFamily> further_families();

/// What an activation's name means, in an MLP with or without a gate.
[[nodiscard]] Mlp mlp_named(const std::string& word, bool is_gated);
/// A flag that has a default of its own.
[[nodiscard]] bool flag_or(config::KeyReader& keys, std::string_view key, bool fallback);
/// LLaMA's shape, from which most families derive: rmsnorm, rope, gated MLP, no biases. Layers,
/// hidden size and heads must be there.
void llama_shape(config::KeyReader& keys, Model& model);
/// GPT-2's shape and names.
void read_gpt2(config::KeyReader& keys, Model& model);

}  // namespace orrery::workload
