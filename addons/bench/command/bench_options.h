// SPDX-License-Identifier: Apache-2.0
//
// What `orrery bench` is asked for.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "addons/bench/command/bench_micro.h"
#include "addons/bench/command/bench_module.h"
#include "addons/bench/command/bench_obfuscate.h"
#include "addons/bench/planner/planner.h"
#include "apps/orrery/output/report_files.h"
#include "orrery/core/error.h"

namespace orrery::app {

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
      QuestionField{"rank", &BenchOptions::rank, "--rank", "N", kAnswer, "1",
                    "Which of several ranks"},
      QuestionField{"level", &BenchOptions::level, "--level", "HOW", kAnswer, "kernel",
                    "top: the outermost operators (any release has them); or kernel: those that "
                    "do the work",
                    level_words},
      QuestionField{
          "subtrace", &BenchOptions::subtrace, "--subtrace", "PART", kAnswer, "layer=1",
          "Only a part: scope=NAME (what the first range or operator with this in its name\n"
          "contains), layer=N or layers=N-M (what repeats as layers do), fewer=N (all, with so "
          "few\n"
          "layers), microbatches=N (all, with the first ones), or times since the step's begin "
          "(10ms-20ms)"},
      QuestionField{"all_steps", &BenchOptions::all_steps, "--all-steps", "", kAnswer, "true",
                    "All steps of the recording; else the first whole one where steps are "
                    "marked"},
      QuestionStruct{"play", &BenchOptions::play},
      QuestionField{"communication", &BenchOptions::communication, "--communication", "HOW",
                    kAnswer, "gloo",
                    "skip: left out; gloo: between processes, one for each rank; or predicted: "
                    "delays of --run",
                    communication_words},
      QuestionField{"run", &BenchOptions::run, "--run", "FILE", kAnswer, "step.orrery",
                    "A run of the same job, which says how long communication takes"},
      QuestionField{"ranks", &BenchOptions::ranks, "--ranks", "LIST", kAnswer, "0-1",
                    "With gloo: which ranks are replayed; else all"},
      QuestionField{"timeout", &BenchOptions::timeout, "--timeout", "SECONDS", kAnswer, "5",
                    "With gloo: longest that a rank waits for others"},
      QuestionField{"reuse", &BenchOptions::reuse, "--reuse", "SHARES", kAnswer, "0.5,0.5",
                    "Of the rows of tables that are looked up, the shares used once, twice, 3 to "
                    "4 times, 5 to 8 …; else evenly drawn"},
      QuestionField{"similarity", &BenchOptions::similarity, "--similarity", "", kAnswer, "true",
                    "Say by kind of work and by operator how alike recording and replay are"},
      QuestionField{"memory_limit", &BenchOptions::memory_limit, "--memory-limit", "SIZE", kAnswer,
                    "1GB", "Most that tensors may take; else three quarters of the machine's"},
      QuestionField{"only_plan", &BenchOptions::only_plan, "--only-plan", "", kAnswer, "true",
                    "Plan and say what would be replayed"},
      QuestionStruct{"micro", &BenchOptions::micro},
      QuestionStruct{"obfuscate", &BenchOptions::obfuscate},
      QuestionGroup{"Output"},
      QuestionField{"kineto", &BenchOptions::kineto, "--kineto", "FILE", kNothing, "times.json",
                    "Write what was measured as a trace"},
      QuestionStruct{
          "page", &BenchOptions::page,
          SelectedRow{"path", "Write recording and replay, side by side, as one web page"},
          SelectedRow{"page"}, SelectedRow{"open"}},
      QuestionField{"plan", &BenchOptions::plan, "--write-plan", "FILE", kNothing, "plan.txt",
                    "Write the steps as text ('-' for stdout)"}};
};

/// Errc: usage.
[[nodiscard]] Result<bench::PlanOptions> plan_options(const BenchOptions& options);

}  // namespace orrery::app
