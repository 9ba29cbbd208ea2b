// SPDX-License-Identifier: Apache-2.0
//
// Writes a recorded rank as Kineto JSON, for tools that read such traces.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::trace {

/// Writes all timed events, completely or not at all; replaces an existing file only with `force`.
/// Omits flows and tensors. Times are those of the profile, in microseconds with nanosecond
/// precision. The file contains what HTA and Perfetto need: categories, names, lanes, streams,
/// correlations, external ids, the rank. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_kineto(const profile::Profile& profile, const std::string& path,
                                        bool force);

}  // namespace orrery::trace
