// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedUi =
    add_tested_elsewhere("ui", "addons/ui/tests/server/server_test.py");

}  // namespace
}  // namespace orrery::cli_test
