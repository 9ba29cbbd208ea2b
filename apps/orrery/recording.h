// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) simulation as a run file.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "outcome.h"

namespace orrery::app {

/// What was typed about the run file.
struct RecordOptions {
  std::string path;           ///< "": none is written
  std::string spans = "all";  ///< all, critical, none
};

/// Whether `path` is to be a run file ("….orrery"); else it is JSON ("….json", "-", a device).
/// Errc: usage where its ending says neither.
[[nodiscard]] Result<bool> names_run_file(const std::string& path);

/// Everything about `outcome` (simulated with Options::record) into a run file. The manifest says
/// what it was made from: no absolute path, no clock, so equal inputs give equal bytes.
/// Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_run_file(const Outcome& outcome, const InputOptions& inputs,
                                          const RecordOptions& options, const Session& session);

}  // namespace orrery::app
