// SPDX-License-Identifier: Apache-2.0
//
// A short question to each command, so that question_options_test.cc sees which options change the
// answer. Add-ons bring those of their commands: addons/<name>/tests/cli/questions.cc.
#pragma once

#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <vector>

namespace orrery::cli_test {

/// A job of 64 GPUs at most, as options.
#define ORRERY_JOB "--model gpt2 --set model.layers=4 --seq 128 --global-batch 16 --tp 4 "

/// Makes the table own.csv.
#define ORRERY_KERNELS                                                                            \
  "awk 'BEGIN{print \"device,kernel,us\"; for (m = 64; m <= 1024; m *= 2) "                       \
  "for (n = 64; n <= 1024; n *= 2) for (k = 64; k <= 8192; k *= 2) "                              \
  "printf \"H100_SXM,\\\"gemm forward bf16,bf16>bf16 m=%d n=%d k=%d transposed_b\\\",%.3f\\n\", " \
  "m, n, k, 5 + m * n * k / 2e8}' > own.csv"

struct CommandQuestion {
  std::string_view command, arguments;
  std::set<std::string_view> same{};  ///< fields that do not change its answer
  std::string_view before{};          ///< a command that runs first
};
/// How GoogleTest shows it.
inline void PrintTo(const CommandQuestion& question, std::ostream* out) {
  *out << question.command;
}

/// Those that add-ons bring.
[[nodiscard]] const std::vector<CommandQuestion>& addon_questions();

/// Commands of add-ons without a question, and where their options are tested.
[[nodiscard]] const std::map<std::string_view, std::string_view>& addons_tested_elsewhere();

/// An add-on's file calls one of these per command, before main(): `const bool kAdded =
/// add_question(…);`. They return true.
bool add_question(const CommandQuestion& question);
bool add_tested_elsewhere(std::string_view command, std::string_view where);

}  // namespace orrery::cli_test
