// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --micro: measures each distinct operator of a recording alone.
#pragma once

#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/text/bench_answer.h"
#include "orrery/commands/context.h"

namespace orrery::commands {

struct MicroOptions {
  bool enabled = false;
  std::string filter, kernels, device = "host";

  static constexpr std::string_view group = "Single operators";
  static constexpr auto fields = std::tuple{
      QuestionField{"asked", &MicroOptions::enabled, "--micro", "", kAnswer, "true",
                    "Measure each distinct operator (name, sizes, types) alone instead"},
      QuestionField{"filter", &MicroOptions::filter, "--filter", "TEXT", kAnswer, "mm",
                    "Only operators whose name contains TEXT"},
      QuestionField{"kernels", &MicroOptions::kernels, "--kernels", "FILE", kNothing, "kernels.csv",
                    "Write the times of known kernels, as a table for 'orrery kernels'"},
      QuestionField{"device", &MicroOptions::device, "--device-name", "NAME", kAnswer, "a100-40gb",
                    "Name of the device in this table"}};
};

/// Checks the options. Errc: usage for options that need --micro.
[[nodiscard]] Result<void> check_micro(const MicroOptions& options);

/// Measures each operator and delivers the result. Returns the exit code.
int run_micro(const present::Benchmark& planned, const MicroOptions& options,
              const ReplaySettings& play, const Findings& findings, Context& context);

}  // namespace orrery::commands
