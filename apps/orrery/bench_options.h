// SPDX-License-Identifier: Apache-2.0
//
// What `orrery bench` is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench_micro.h"
#include "bench_module.h"
#include "bench_obfuscate.h"
#include "orrery/bench/planner.h"
#include "orrery/core/error.h"
#include "report_files.h"

namespace orrery::app {

struct BenchOptions {
  std::vector<std::string> words;
  std::optional<std::uint32_t> rank;
  std::string level = "top";
  std::string subtrace, memory_limit, reuse, plan, kineto;
  std::string communication = "skip", run, ranks;
  double timeout = 60;  // seconds
  bool all_steps = false, only_plan = false, similarity = false;
  BenchPlay play;
  MicroOptions micro;
  ObfuscateBench obfuscate;
  PageOptions page;
};

/// Errc: usage.
[[nodiscard]] Result<bench::PlanOptions> plan_options(const BenchOptions& options);

void add_replay_options(CLI::App& command, BenchOptions& options);

}  // namespace orrery::app
