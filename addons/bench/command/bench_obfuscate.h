// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --size and --obfuscate: plans of other sizes, and such that tell less of what was
// recorded.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/plan/replay_plan.h"
#include "orrery/core/error.h"

namespace orrery::app {

[[nodiscard]] std::vector<std::string_view> obfuscate_words();

struct ObfuscateBench {
  std::string size, what, salt;

  [[nodiscard]] bool changes_sizes() const { return !size.empty() || what == "sizes"; }

  static constexpr std::string_view group = ReplaySettings::group;
  static constexpr auto fields = std::tuple{
      QuestionField{"size", &ObfuscateBench::size, "--size", "OLD=NEW", kAnswer, "128=32",
                    "128=32: what is 128 long becomes 32, wherever it stands, and products of it\n"
                    "follow; several with commas between them"},
      QuestionGroup{"What is told of the recording"},
      QuestionField{
          "what", &ObfuscateBench::what, "--obfuscate", "WHAT", kAnswer, "names",
          "names: recorded operators get other names; sizes: sizes become near ones, too,\n"
          "the same everywhere, as far as operators agree (each is tried by playing)",
          obfuscate_words},
      QuestionField{
          "salt", &ObfuscateBench::salt, "--salt", "TEXT", kAnswer, "kept secret",
          "What other names and sizes depend on; the same give the same; keep it secret"}};
};

/// Errc: usage.
[[nodiscard]] Result<void> check_obfuscate(const ObfuscateBench& options);

/// Changes the plan as asked, and says how much it did; empty where nothing was asked. Sizes are
/// tried by playing. Errc: as BenchModule::play and bench::resize.
[[nodiscard]] Result<std::string> obfuscate_plan(bench::ReplayPlan& plan,
                                                 const ObfuscateBench& options,
                                                 const BenchModule& module, ReplaySettings play);

}  // namespace orrery::app
