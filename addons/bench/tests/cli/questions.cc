// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedBench =
    add_tested_elsewhere("bench", "addons/bench/tests, where there is libtorch");

}  // namespace
}  // namespace orrery::cli_test
