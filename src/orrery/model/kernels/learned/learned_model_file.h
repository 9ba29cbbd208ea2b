// SPDX-License-Identifier: Apache-2.0
//
// How learned classes are written and read: text, line by line, ended by a sum over all bytes
// before.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/model/kernels/learned/learned_model.h"

namespace orrery::model {

inline constexpr int kModelVersion = 1;

/// A class and its trees, each as Forest::add takes it.
struct SerializedClass {
  const LearnedClass* is = nullptr;
  std::span<const std::string> measured;
  std::span<const std::string> general;
};

/// The file; `notes` are sources and licences, a comment at its head. The same input gives the same
/// bytes.
[[nodiscard]] std::string write_model(std::string_view notes,
                                      std::span<const SerializedClass> classes);

/// What LearnedModel::read reads. Errc: as there.
[[nodiscard]] Result<std::vector<LearnedClass>> read_model(std::string_view text,
                                                           std::string_view where, bool lasting);

}  // namespace orrery::model
