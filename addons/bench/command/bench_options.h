// SPDX-License-Identifier: Apache-2.0
//
// Options of `orrery bench`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addons/bench/command/bench_micro.h"
#include "addons/bench/command/bench_module.h"
#include "addons/bench/command/bench_obfuscate.h"
#include "addons/bench/planner/planner.h"
#include "orrery/commands/output/report_files.h"
#include "orrery/core/error.h"

namespace orrery::commands {

[[nodiscard]] std::vector<std::string_view> level_words();
[[nodiscard]] std::vector<std::string_view> communication_words();

struct BenchOptions {
  std::vector<std::string> words;
  std::optional<std::uint32_t> rank;
  std::string level = "top", subtrace;
  bool all_steps = false;
  ReplaySettings play;
  std::string communication = "skip", run, ranks;
  double timeout = 60;  ///< seconds
  std::string reuse;
  bool similarity = false;
  std::optional<Bytes> memory_limit;
  bool only_plan = false;
  MicroOptions micro;
  ObfuscateBench obfuscate;
  std::string kineto, plan;
  PageOptions page;

  static constexpr std::string_view group = ReplaySettings::group;
  static constexpr auto fields = std::tuple{
      QuestionField{"words", &BenchOptions::words, "WHAT", "", kAnswer, "run",
                    "run or generate, then the recording's files"},
      QuestionField{"rank", &BenchOptions::rank, "--replay-rank", "N", kAnswer, "1",
                    "Rank to replay, if there are several"},
      QuestionField{"level", &BenchOptions::level, "--level", "HOW", kAnswer, "kernel",
                    "top: outermost operators (in any release of PyTorch); kernel: operators that "
                    "do the work",
                    level_words},
      QuestionField{
          "subtrace", &BenchOptions::subtrace, "--subtrace", "PART", kAnswer, "layer=1",
          "Only a part: scope=NAME (the first range or operator whose name contains NAME), layer=N "
          "or layers=N-M (by repetition), fewer=N (everything, with N layers), microbatches=N "
          "(everything, with the first N), or times from the start of the step (10ms-20ms)"},
      QuestionField{"all_steps", &BenchOptions::all_steps, "--all-steps", "", kAnswer, "true",
                    "Replay all steps; by default the first complete one, if steps are marked"},
      QuestionStruct{"play", &BenchOptions::play},
      QuestionField{
          "communication", &BenchOptions::communication, "--communication", "HOW", kAnswer, "gloo",
          "skip: leave it out; gloo: between processes, one per rank; predicted: delays from --run",
          communication_words},
      QuestionField{"run", &BenchOptions::run, "--run", "FILE", kAnswer, "step.orrery",
                    "Run file of the same job, with the times of communication"},
      QuestionField{"ranks", &BenchOptions::ranks, "--ranks", "LIST", kAnswer, "0-1",
                    "gloo: ranks to replay; by default all"},
      QuestionField{"timeout", &BenchOptions::timeout, "--timeout", "SECONDS", kAnswer, "5",
                    "gloo: longest wait of a rank for other ranks, in seconds"}
          .advanced(),
      QuestionField{"reuse", &BenchOptions::reuse, "--reuse", "SHARES", kAnswer, "0.5,0.5",
                    "Shares of looked-up rows that are used once, twice, 3 to 4, 5 to 8 … times; "
                    "by default uniform indices"}
          .advanced(),
      QuestionField{"similarity", &BenchOptions::similarity, "--similarity", "", kAnswer, "true",
                    "Compare recording and replay by kind of work and by operator"},
      QuestionField{"memory_limit", &BenchOptions::memory_limit, "--memory-limit", "SIZE", kAnswer,
                    "1GB", "Memory for tensors; by default three quarters of the machine's"}
          .advanced(),
      QuestionField{"only_plan", &BenchOptions::only_plan, "--only-plan", "", kAnswer, "true",
                    "Only plan, and print what would be replayed"}
          .advanced(),
      QuestionStruct{"micro", &BenchOptions::micro},
      QuestionStruct{"obfuscate", &BenchOptions::obfuscate},
      QuestionGroup{"Output"},
      QuestionField{"kineto", &BenchOptions::kineto, "--kineto", "FILE", kNothing, "times.json",
                    "Write the measured times as a trace"},
      QuestionStruct{
          "page", &BenchOptions::page,
          SelectedRow{"path", "Write recording and replay, side by side, as one web page"},
          SelectedRow{"page"}, SelectedRow{"open"}},
      QuestionField{"plan", &BenchOptions::plan, "--write-plan", "FILE", kNothing, "plan.txt",
                    "Write the steps as text ('-' for stdout)"}
          .advanced()};
};

/// The options for make_plan. Errc: usage.
[[nodiscard]] Result<bench::PlanOptions> plan_options(const BenchOptions& options);

}  // namespace orrery::commands
