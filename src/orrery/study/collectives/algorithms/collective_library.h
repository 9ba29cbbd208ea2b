// SPDX-License-Identifier: Apache-2.0
//
// The library that runs a cluster's collectives, with the files that the cluster names for it.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// Returns null if no library runs the collectives. Errc: those of reading its files (measured
/// curves, choices of a tuner) and of its settings.
[[nodiscard]] Result<std::shared_ptr<const model::LibraryTimes>> read_collective_library(
    const Question& question, const platform::Platform& platform);

}  // namespace orrery::study
