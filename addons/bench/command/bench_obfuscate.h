// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --resize and --obfuscate: changes the sizes of plans, and hides names and sizes of
// the recording.
#pragma once

#include <string>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::commands {

[[nodiscard]] std::vector<std::string_view> obfuscate_words();

struct ObfuscateBench {
  std::string size, what, salt;

  [[nodiscard]] bool changes_sizes() const { return !size.empty() || what == "sizes"; }

  static constexpr std::string_view group = ReplaySettings::group;
  static constexpr auto fields = std::tuple{
      QuestionField{
          "size", &ObfuscateBench::size, "--resize", "OLD=NEW", kAnswer, "128=32",
          "128=32: change sizes of 128 to 32 everywhere, and products of it; separated by commas"},
      QuestionGroup{"Obfuscation"},
      QuestionField{"what", &ObfuscateBench::what, "--obfuscate", "WHAT", kAnswer, "names",
                    "names: rename recorded operators; sizes: also change sizes slightly, as far "
                    "as operators accept it",
                    obfuscate_words},
      QuestionField{"salt", &ObfuscateBench::salt, "--salt", "TEXT", kAnswer, "kept secret",
                    "Secret key of new names and sizes; equal salts give equal results"}};
};

/// Checks the options. Errc: usage.
[[nodiscard]] Result<void> check_obfuscate(const ObfuscateBench& options);

/// Changes the plan and returns a description of the changes; empty without options. It checks new
/// sizes by replaying. Errc: as BenchModule::play and bench::resize.
[[nodiscard]] Result<std::string> obfuscate_plan(bench::ReplayPlan& plan,
                                                 const ObfuscateBench& options,
                                                 const BenchModule& module, ReplaySettings play);

}  // namespace orrery::commands
