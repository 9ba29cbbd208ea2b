// SPDX-License-Identifier: Apache-2.0
//
// Finds the size of a vocabulary that a file gives only by its tokenizer. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/findings.h"
#include "orrery/workload/spec/model.h"

namespace orrery::workload {

/// What a file says about its model besides the sizes.
struct VocabularyHints {
  std::vector<std::string> tokenizers{};  ///< names and paths of tokenizers, most reliable first
  std::vector<std::string> names{};       ///< of the model, the run, checkpoints, the file
};
struct KnownVocabulary {
  std::int64_t size = 0;
  std::string model{};  ///< the model of the catalog that has it
};

/// Sets the vocabulary that the hints or the sizes of the model identify (finding
/// chosen_by_default), else `usual` (finding default_assumed). `where`: the file's name, which is a
/// hint, too.
void choose_vocabulary(Model& model, VocabularyHints hints, std::int64_t usual,
                       const std::string& where, Findings& findings);

/// The vocabulary of the catalog's model that the tokenizer's name, or the sizes of `shape`
/// (layers, width, heads, MLP, experts), identify. Names decide between models of equal sizes.
/// Empty: nothing identifies one.
[[nodiscard]] std::optional<KnownVocabulary> known_vocabulary(const Model& shape,
                                                              const VocabularyHints& hints);

}  // namespace orrery::workload
