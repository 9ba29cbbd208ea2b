// SPDX-License-Identifier: Apache-2.0
//
// A recorded rank as Kineto's JSON, for tools that read such traces.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/profile/profile.h"

namespace orrery::trace {

/// Writes all timed events (not the arrows between them, nor tensors), whole or not at all, over
/// another file only with `force`. Times are in microseconds to the nanosecond, those of the
/// profile itself. What HTA and Perfetto need is there: categories, names, lanes, streams,
/// correlations, external ids, the rank. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_kineto(const profile::Profile& profile, const std::string& path,
                                        bool force);

}  // namespace orrery::trace
