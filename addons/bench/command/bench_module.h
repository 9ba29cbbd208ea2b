// SPDX-License-Identifier: Apache-2.0
//
// The module that replays with PyTorch, loaded when it is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "addons/bench/operators/framework_operators.h"
#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/programs/module_abi.h"
#include "apps/orrery/question_options.h"
#include "orrery/core/error.h"

namespace orrery::app {

struct ReplaySettings {
  std::uint32_t iterations = 10, warm_up = 2;
  std::int32_t threads = 1;
  std::string device = "cpu";
  bool synchronise = false, think = false;
  std::int64_t memory_limit = 0;
  // Communications between processes (bench/programs/module_abi.h).
  std::string store;  ///< empty: none
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> ranks;
  std::int64_t timeout_ms = 60'000;

  static constexpr std::string_view group = "The replay";
  static constexpr auto fields = std::tuple{
      QuestionField{"iterations", &ReplaySettings::iterations, "--iterations", "N", kAnswer, "3",
                    "How many count"},
      QuestionField{"warm_up", &ReplaySettings::warm_up, "--warm-up", "N", kAnswer, "1",
                    "Iterations before those; at least one"},
      QuestionField{"threads", &ReplaySettings::threads, "--threads", "N", kAnswer, "2",
                    "Of operators"},
      QuestionField{"device", &ReplaySettings::device, "--device", "NAME", kAnswer, "cuda",
                    "Play on cuda or cuda:N, with streams as recorded; else on the host (cpu)"},
      QuestionField{"synchronise", &ReplaySettings::synchronise, "--synchronise", "", kAnswer,
                    "true",
                    "Wait for the device after each operator: times are then the operators' own"},
      QuestionField{"think", &ReplaySettings::think, "--think", "", kAnswer, "true",
                    "Wait where the recorded host did something else (needs a device trace, "
                    "too)"},
      UndeclaredField{&ReplaySettings::memory_limit},
      UndeclaredField{&ReplaySettings::store},
      UndeclaredField{&ReplaySettings::rank},
      UndeclaredField{&ReplaySettings::ranks},
      UndeclaredField{&ReplaySettings::timeout_ms}};
};

class BenchModule final : public bench::FrameworkOperators {
 public:
  /// Errc: usage where there is no module, or one of another version of this program.
  [[nodiscard]] static Result<std::unique_ptr<BenchModule>> load();

  /// Overloads are this device's from now on. Errc: usage where there is none of that name.
  [[nodiscard]] Result<void> use(const std::string& device) const;
  [[nodiscard]] std::string version() const { return version_(); }
  [[nodiscard]] std::vector<bench::Overload> overloads(std::string_view name) const override;
  /// Errc: limit_exceeded with the module's own words: memory is what plans of ours run out of.
  [[nodiscard]] Result<bench::ReplayOutcome> play(const std::string& plan,
                                                  const ReplaySettings& how) const;

 private:
  OrreryBenchVersion* version_ = nullptr;
  OrreryBenchUse* use_ = nullptr;
  OrreryBenchOverloads* overloads_ = nullptr;
  OrreryBenchPlay* play_ = nullptr;
  OrreryBenchFree* free_ = nullptr;
};

/// The module's file, whether or not PyTorch is there; empty: none.
[[nodiscard]] std::string bench_module_path();

}  // namespace orrery::app
