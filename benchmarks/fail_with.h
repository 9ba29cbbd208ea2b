// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "orrery/core/error.h"

namespace orrery::benchmarks {

/// Prints the error and returns exit code 1.
inline int fail_with(const Error& error) {
  fmt::print(stderr, "{}\n", to_string(error));
  return 1;
}

}  // namespace orrery::benchmarks
