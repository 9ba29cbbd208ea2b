// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedKernelsFit = add_question(
    {"kernels", "fit own.csv --by nets --epochs 2 -o out/own.model", {}, ORRERY_KERNELS});

}  // namespace
}  // namespace orrery::cli_test
