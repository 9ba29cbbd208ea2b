// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery {

/// Prints `expression` with its file and line and aborts. For defects of the program, never for
/// mistakes of the user.
[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace orrery

/// Active in every build. The condition is false only if the program has a defect.
#define ORRERY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::orrery::check_failed(#condition, __FILE__, __LINE__))
