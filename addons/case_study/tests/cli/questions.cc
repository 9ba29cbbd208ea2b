// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_questions.h"

namespace orrery::cli_test {
namespace {

[[maybe_unused]] const bool kAddedReproduce = add_question({"study reproduce", "themis-tutorial"});

}  // namespace
}  // namespace orrery::cli_test
