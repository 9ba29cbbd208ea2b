// SPDX-License-Identifier: Apache-2.0
//
// A finished (or stalled) simulation as a run, and as a run file.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/result/run.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "session.h"

namespace orrery::app {

/// What --output is to hold.
enum class OutputKind { json, run_file, page };

/// By its ending: "….orrery" a run file, "….html" a web page, else ("….json", "-", a device, "")
/// JSON. Errc: usage where its ending says none of them.
[[nodiscard]] Result<OutputKind> kind_of_output(const std::string& path);

/// study::make_run(), which a file at `path` is to hold; "": none.
[[nodiscard]] result::Run recorded_run(const study::Outcome& outcome, const std::string& path,
                                       const Session& session);

/// Writes `run` to `path`. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_run_file(const result::Run& run, const std::string& path,
                                          const Session& session);

}  // namespace orrery::app
