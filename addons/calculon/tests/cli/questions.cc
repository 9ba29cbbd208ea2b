// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedCalculon = add_question(
    {"study calculon",
     "examples/calculon/gpt3-175b.json examples/calculon/a100-80g.json --devices 64 --max-batch 64"});

}  // namespace
}  // namespace orrery::cli_test
