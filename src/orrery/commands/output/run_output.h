// SPDX-License-Identifier: Apache-2.0
//
// Converts a finished or stalled simulation to a run and to a run file.
#pragma once

#include <string>

#include "orrery/commands/context.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/core/error.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::commands {

/// Content of --output.
enum class OutputKind { json, run_file, page };

/// Determined by the extension: "….orrery" a run file, "….html" a web page, otherwise ("….json",
/// "-", a device, "") JSON. Errc: usage for other extensions.
[[nodiscard]] Result<OutputKind> kind_of_output(const std::string& path);

/// Whether a command must record the run: for a run file, a web page, or its caller.
[[nodiscard]] bool keeps_run(const std::string& run_file, const PageOptions& page,
                             const Context& context);

/// Writes the run file ("": none) and the web page, and passes the run to the caller if it wants
/// it. With a `baseline`, the page compares the run with it. Does nothing if none of these is
/// requested. Errc: output_exists, output_failed.
[[nodiscard]] Result<void> write_run(const study::Outcome& outcome, const std::string& run_file,
                                     PageFile& page, const Context& context,
                                     const study::Outcome* baseline = nullptr);

}  // namespace orrery::commands
