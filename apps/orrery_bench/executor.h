// SPDX-License-Identifier: Apache-2.0
//
// Runs a program with PyTorch. It calls each operator through the dispatcher, boxed, with a handle
// that it looks up once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "addons/bench/outcome/replay_outcome.h"
#include "addons/bench/plan/program.h"
#include "communicator.h"

namespace orrery::bench {

struct ReplayOptions {
  unsigned warm_up = 2;  ///< unmeasured iterations; the first one finds the steps that fail
  unsigned iterations = 10;
  int threads = 1;
  bool wait_in_gaps = false;                          ///< the host also waits during recorded gaps
  std::int64_t memory_limit = std::int64_t{1} << 62;  ///< for host memory
  std::string device = "cpu";                         ///< as in device_of
  /// Waits for the device after each step, so that a step's time includes the device's work and not
  /// only the launch.
  bool synchronize = false;
  Communicator* communicator = nullptr;  ///< null: delays from the program
  /// Receives the names of the called operators in order, for all iterations; for other steps,
  /// Program::name.
  std::vector<std::string>* called = nullptr;
};

/// If a step fails, its error is counted, its results are created with the recorded sizes, and it
/// is not tried again. A failed communication ends the replay, because other ranks wait for it.
/// Throws std::exception if the program cannot run at all.
[[nodiscard]] ReplayOutcome replay(const Program& program, const ReplayOptions& options);

}  // namespace orrery::bench
