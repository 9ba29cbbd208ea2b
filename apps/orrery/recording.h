// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) simulation as a run, and as a run file.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/result/run.h"
#include "outcome.h"

namespace orrery::app {

/// What was typed about the run file.
struct RecordOptions {
  std::string path;           ///< "": none is written
  std::string spans = "all";  ///< all, critical, none
};

/// What --output is to hold.
enum class OutputKind { json, run_file, page };

/// By its ending: "….orrery" a run file, "….html" a web page, else ("….json", "-", a device, "")
/// JSON. Errc: usage where its ending says none of them.
[[nodiscard]] Result<OutputKind> kind_of_output(const std::string& path);

/// Everything about `outcome` (simulated with Options::record), with the spans that were asked for.
/// The manifest says what it was made from: no absolute path, no clock, so equal inputs give equal
/// bytes.
[[nodiscard]] result::Run recorded_run(const Outcome& outcome, const InputOptions& inputs,
                                       const RecordOptions& options, const Session& session);

/// Writes `run` to options.path. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_run_file(const result::Run& run, const RecordOptions& options,
                                          const Session& session);

}  // namespace orrery::app
