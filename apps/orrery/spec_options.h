// SPDX-License-Identifier: Apache-2.0
//
// A training job as a command's input: specification files, other tools' files, and flags.
#pragma once

#include <string>

#include "orrery/study/description.h"
#include "orrery/workload/program/program.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// Adds --spec, --model, --tp … --set. With `positional`, files can be given without --spec.
void add_spec_options(CLI::App& command, study::JobDescription& job, bool positional);

/// "512 ranks: tp 8 (sp), pp 4, dp 16"
[[nodiscard]] std::string plan_text(const workload::Program& program);
/// "1f1b, 32 microbatches of 1, 1,024 tokens each"
[[nodiscard]] std::string batch_text(const workload::Spec& spec);

}  // namespace orrery::app
