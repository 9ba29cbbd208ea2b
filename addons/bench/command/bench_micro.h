// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --micro: each distinct operator of a recording by itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "addons/bench/command/bench_module.h"
#include "addons/bench/programs/microbenchmark.h"
#include "addons/bench/text/bench_text.h"
#include "apps/orrery/session.h"

namespace orrery::app {

struct MicroOptions {
  bool asked = false;
  std::string filter, kernels, device = "host";

  static constexpr std::string_view group = "Single operators";
  static constexpr auto fields = std::tuple{
      QuestionField{"asked", &MicroOptions::asked, "--micro", "", kAnswer, "true",
                    "Time each distinct operator (name, sizes, types) by itself instead"},
      QuestionField{"filter", &MicroOptions::filter, "--filter", "TEXT", kAnswer, "mm",
                    "Only those with this in their name"},
      QuestionField{"kernels", &MicroOptions::kernels, "--kernels", "FILE", kNothing, "kernels.csv",
                    "Write the times of known kernels, as 'orrery kernels' reads them"},
      QuestionField{"device", &MicroOptions::device, "--device-name", "NAME", kAnswer, "a100-40gb",
                    "… of what device they say that they are"}};
};

/// Errc: usage where only --micro takes what was given.
[[nodiscard]] Result<void> check_micro(const MicroOptions& options);

/// The operators of what is planned. Errc: as bench::microbenchmarks_of.
[[nodiscard]] Result<std::vector<bench::Microbenchmark>> micro_of(const present::Benchmark& planned,
                                                                  const MicroOptions& options,
                                                                  std::int64_t memory_limit);

/// Plays and times each, and says what came of it; the program's exit code.
int run_micro(const present::Benchmark& planned, const MicroOptions& options,
              const ReplaySettings& play, const Findings& findings, Session& session);

}  // namespace orrery::app
