// SPDX-License-Identifier: Apache-2.0
//
// The module that replays with PyTorch, loaded when it is first needed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/bench/module.h"
#include "orrery/bench/operators.h"
#include "orrery/bench/report.h"
#include "orrery/core/error.h"

namespace orrery::app {

struct BenchPlay {
  std::uint32_t warm_up = 2, iterations = 10;
  std::int32_t threads = 1;
  bool think = false;
  std::string device = "cpu";
  bool synchronise = false;  ///< wait for the device after each operator
  std::int64_t memory_limit = 0;
  // Communications between processes (bench/module.h).
  std::string store;  ///< empty: none
  std::uint32_t rank = 0;
  std::vector<std::uint32_t> ranks;
  std::int64_t timeout_ms = 60'000;
};

class BenchModule final : public bench::Operators {
 public:
  /// Errc: usage where there is no module, or one of another version of this program.
  [[nodiscard]] static Result<std::unique_ptr<BenchModule>> load();

  /// Overloads are this device's from now on. Errc: usage where there is none of that name.
  [[nodiscard]] Result<void> use(const std::string& device) const;
  [[nodiscard]] std::string version() const { return version_(); }
  [[nodiscard]] std::vector<bench::Overload> overloads(std::string_view name) const override;
  /// Errc: limit_exceeded with the module's own words: memory is what plans of ours run out of.
  [[nodiscard]] Result<bench::Outcome> play(const std::string& plan, const BenchPlay& how) const;

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
