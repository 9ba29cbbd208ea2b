// SPDX-License-Identifier: Apache-2.0
//
// The keys of a JSON text's outermost values, as far as a piece of it shows them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::trace {

/// What the beginning of a JSON text looks like. Nothing is checked: damaged texts have outlines.
struct Outline {
  bool json = false;   ///< begins like an object or an array
  bool array = false;  ///< the outermost value is an array
  /// Keys of the outermost object; of the objects in the outermost array. In order, without
  /// repetitions, a bounded number.
  std::vector<std::string> keys;

  [[nodiscard]] bool has(std::string_view key) const {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }
};

[[nodiscard]] Outline outline_of(std::string_view head);

}  // namespace orrery::trace
