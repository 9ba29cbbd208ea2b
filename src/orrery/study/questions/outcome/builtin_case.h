// SPDX-License-Identifier: Apache-2.0
//
// A small simulation whose result is known.
#pragma once

#include <string>

namespace orrery::study {

struct BuiltinCase {
  bool exact = false;  ///< it came to what is known
  std::string text;
};

/// The regression template that comes with ASTRA-sim: 1 MiB all-reduced by 8 devices on a 50 GB/s
/// ring, 117,780 cycles.
[[nodiscard]] BuiltinCase run_builtin_case();

}  // namespace orrery::study
