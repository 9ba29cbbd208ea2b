// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedSplitBandwidth = add_question(
    {"network split", ORRERY_JOB "--cluster examples/clusters/dgx-h100-64.yaml", {"schedule"}});

}  // namespace
}  // namespace orrery::cli_test
