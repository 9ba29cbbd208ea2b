// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads learned classes: lines of text, followed by a checksum of all previous bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

inline constexpr int kModelVersion = 1;

/// A class and the texts of its trees for Forest::add().
struct SerializedClass {
  const LearnedClass* is = nullptr;
  std::span<const std::string> measured;
  std::span<const std::string> general;
};

/// The text of a file. `notes` (sources and licenses) are a comment at its begin. Equal inputs give
/// equal bytes.
[[nodiscard]] std::string write_model(std::string_view notes,
                                      std::span<const SerializedClass> classes);

/// Reads the classes for LearnedModel::read(). Errc: those of LearnedModel::read().
[[nodiscard]] Result<std::vector<LearnedClass>> read_model(std::string_view text,
                                                           std::string_view where, bool lasting);

}  // namespace orrery::model
