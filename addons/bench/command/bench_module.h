// SPDX-License-Identifier: Apache-2.0
//
// The module that replays with PyTorch. The program loads it on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "addons/bench/operators/framework_operators.h"
#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/programs/module_abi.h"
#include "orrery/commands/command_options.h"
#include "orrery/core/error.h"

namespace orrery::commands {

struct ReplaySettings {
  std::uint32_t iterations = 10, warm_up = 2;
  std::int32_t threads = 1;
  std::string device = "cpu";
  bool synchronize = false, wait_in_gaps = false;
  std::int64_t memory_limit = 0;
  // Communication between processes (bench/programs/module_abi.h).
  std::string store;  ///< empty: none
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> ranks;
  std::int64_t timeout_ms = 60'000;

  static constexpr std::string_view group = "Replay";
  static constexpr auto fields = std::tuple{
      QuestionField{"iterations", &ReplaySettings::iterations, "--iterations", "N", kAnswer, "3",
                    "Number of measured iterations"},
      QuestionField{"warm_up", &ReplaySettings::warm_up, "--warm-up", "N", kAnswer, "1",
                    "Number of iterations before the measured ones; at least one"}
          .advanced(),
      QuestionField{"threads", &ReplaySettings::threads, "--threads", "N", kAnswer, "2",
                    "Number of threads of operators"}
          .advanced(),
      QuestionField{
          "device", &ReplaySettings::device, "--torch-device", "NAME", kAnswer, "cuda",
          "Replay on cuda or cuda:N, with streams as recorded; by default on the host (cpu)"},
      QuestionField{"synchronize", &ReplaySettings::synchronize, "--synchronize", "", kAnswer,
                    "true",
                    "Wait for the device after each operator, so that times are those of operators"}
          .advanced(),
      QuestionField{"think", &ReplaySettings::wait_in_gaps, "--think", "", kAnswer, "true",
                    "Wait where the recorded host did other work (needs a device trace, too)"}
          .advanced(),
      UndeclaredField{&ReplaySettings::memory_limit},
      UndeclaredField{&ReplaySettings::store},
      UndeclaredField{&ReplaySettings::rank},
      UndeclaredField{&ReplaySettings::ranks},
      UndeclaredField{&ReplaySettings::timeout_ms}};
};

class BenchModule final : public bench::FrameworkOperators {
 public:
  /// Errc: usage if there is no module, or only one for another version of this program.
  [[nodiscard]] static Result<std::unique_ptr<BenchModule>> load();

  /// Selects the device whose overloads are used. Errc: usage if there is no such device.
  [[nodiscard]] Result<void> use(const std::string& device) const;
  [[nodiscard]] std::string version() const { return version_(); }
  [[nodiscard]] std::vector<bench::Overload> overloads(std::string_view name) const override;
  /// Errc: limit_exceeded with the message of the module, since a lack of memory is the usual
  /// cause.
  [[nodiscard]] Result<bench::ReplayOutcome> play(const std::string& plan,
                                                  const ReplaySettings& how) const;

 private:
  OrreryBenchVersion* version_ = nullptr;
  OrreryBenchUse* use_ = nullptr;
  OrreryBenchOverloads* overloads_ = nullptr;
  OrreryBenchPlay* play_ = nullptr;
  OrreryBenchFree* free_ = nullptr;
};

/// The path of the module, even if PyTorch is not installed; empty: none.
[[nodiscard]] std::string bench_module_path();

}  // namespace orrery::commands
