// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "orrery/commands/context.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/study/question.h"

namespace orrery::commands {

/// orrery trace info --view or --html. No names: all views.
int show_views(const RecordedTraces& options, std::vector<std::string> names,
               const PageOptions& page_options, Context& context);

}  // namespace orrery::commands
