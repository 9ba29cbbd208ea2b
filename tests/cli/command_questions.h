// SPDX-License-Identifier: Apache-2.0
//
// A short question to each command, so that question_options_test.cc sees which options change the
// answer. Add-ons bring those of their commands: addons/<name>/tests/cli/questions.cc.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace orrery::cli_test {

/// A job of 64 GPUs at most, as options.
#define ORRERY_JOB "--model gpt2 --set model.layers=4 --seq 128 --global-batch 16 --tp 4 "

struct CommandQuestion {
  std::string_view command, arguments;
  std::set<std::string_view> same{};  ///< fields that do not change its answer
  std::string_view before{};          ///< a command that runs first
};

/// Those that add-ons bring.
[[nodiscard]] const std::vector<CommandQuestion>& addon_questions();

/// Commands of add-ons without a question, and where their options are tested.
[[nodiscard]] const std::map<std::string_view, std::string_view>& addons_tested_elsewhere();

/// An add-on's file calls one of these per command, before main(): `const bool kAdded =
/// add_question(…);`. They return true.
bool add_question(const CommandQuestion& question);
bool add_tested_elsewhere(std::string_view command, std::string_view where);

}  // namespace orrery::cli_test
