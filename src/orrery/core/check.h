// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace orrery {

/// Prints `expression` with its place and aborts: a defect of ours, never a user's mistake.
[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace orrery

/// Always on. For what can only be false when this program is wrong.
#define ORRERY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::orrery::check_failed(#condition, __FILE__, __LINE__))
