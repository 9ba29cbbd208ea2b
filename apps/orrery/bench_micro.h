// SPDX-License-Identifier: Apache-2.0
//
// orrery bench --micro: each distinct operator of a recording by itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench_module.h"
#include "orrery/bench/micro.h"
#include "orrery/present/bench_text.h"
#include "session.h"

namespace orrery::app {

struct MicroOptions {
  bool asked = false;
  std::string filter, kernels;
  std::string device = "host";
};

void add_micro_options(CLI::App& command, MicroOptions& options);

/// Errc: usage where only --micro takes what was given.
[[nodiscard]] Result<void> check_micro(const MicroOptions& options);

/// The operators of what is planned. Errc: as bench::micro_plans.
[[nodiscard]] Result<std::vector<bench::Micro>> micro_of(const present::Benchmark& planned,
                                                         const MicroOptions& options,
                                                         std::int64_t memory_limit);

/// Plays and times each, and says what came of it; the program's exit code.
int run_micro(const present::Benchmark& planned, const MicroOptions& options, const BenchPlay& play,
              const Findings& findings, Session& session);

}  // namespace orrery::app
