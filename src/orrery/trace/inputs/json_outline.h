// SPDX-License-Identifier: Apache-2.0
//
// The keys of the outermost values in the beginning of a JSON text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::trace {

/// The outline of the beginning of a JSON text. Nothing is validated; damaged texts have outlines,
/// too.
struct Outline {
  bool is_json = false;   ///< the text begins like an object or an array
  bool is_array = false;  ///< the outermost value is an array
  /// Keys of the outermost object, or of the objects in the outermost array. In order, without
  /// repetitions; their number is bounded.
  std::vector<std::string> keys;

  [[nodiscard]] bool has(std::string_view key) const {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }
};

[[nodiscard]] Outline outline_of(std::string_view head);

}  // namespace orrery::trace
