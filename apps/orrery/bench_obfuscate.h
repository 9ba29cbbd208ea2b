// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --size and --obfuscate: plans of other sizes, and such that tell less of what was
// recorded.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench_module.h"
#include "orrery/bench/plan.h"
#include "orrery/core/error.h"

namespace orrery::app {

struct ObfuscateBench {
  std::string size;  ///< "128=32,…": sizes and what they become, or empty
  std::string what;  ///< "names", "sizes" (and names), or empty
  std::string salt;

  [[nodiscard]] bool changes_sizes() const { return !size.empty() || what == "sizes"; }
};

void add_obfuscate_options(CLI::App& command, ObfuscateBench& options);

/// Errc: usage.
[[nodiscard]] Result<void> check_obfuscate(const ObfuscateBench& options);

/// Changes the plan as asked, and says how much it did; empty where nothing was asked. Sizes are
/// tried by playing. Errc: as BenchModule::play and bench::resize.
[[nodiscard]] Result<std::string> obfuscate_plan(bench::Plan& plan, const ObfuscateBench& options,
                                                 const BenchModule& module, BenchPlay play);

}  // namespace orrery::app
