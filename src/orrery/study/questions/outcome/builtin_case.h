// SPDX-License-Identifier: Apache-2.0
//
// A small simulation with a known result.
#pragma once

#include <string>

namespace orrery::study {

struct BuiltinCase {
  bool exact = false;  ///< the result equals the known result
  std::string text;
};

/// Runs the regression template of ASTRA-sim: all-reduce of 1 MiB on 8 devices in a 50 GB/s ring,
/// 117,780 cycles.
[[nodiscard]] BuiltinCase run_builtin_case();

}  // namespace orrery::study
