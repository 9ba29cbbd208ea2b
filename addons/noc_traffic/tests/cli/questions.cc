// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedNoc = add_tested_elsewhere(
    "network noc", "addons/noc_traffic/tests/cli/noc_traffic.txt, traffic_curve_test.cc");

}  // namespace
}  // namespace orrery::cli_test
