// SPDX-License-Identifier: Apache-2.0
//
// How a simulation is worked out. None of it changes a figure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/sim/simulate.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// What was typed.
struct WorkOptions {
  std::string fold = "auto";         ///< auto: one rank for all that are alike; off
  std::string collectives = "auto";  ///< auto: worked out where nothing is in the way; messages
  std::string skip = "auto";         ///< auto: iterations that repeat the one before; off
  std::int64_t threads = 1;          ///< 0 = all cores
  bool verify_fold = false;          ///< with and without folding, and compare
};

/// Adds them all but --threads, which is one of the recorded options, too.
void add_work_options(CLI::App& command, WorkOptions& options);

/// Errc::usage for words and numbers that cannot be.
[[nodiscard]] Result<void> check_work_options(const WorkOptions& options);

[[nodiscard]] sim::Options simulation_options(const WorkOptions& options);

/// What --verify-fold found.
struct Verification {
  std::optional<std::string> difference;  ///< of the folded from the unfolded run; empty: none
  sim::Savings savings;                   ///< of the folded one
};

/// "16 ranks for all 131,072".
[[nodiscard]] std::string folded_text(std::uint32_t representatives, std::size_t ranks);
/// "16 ranks for all 131,072; all 12,288 collective phases worked out": "" where nothing was saved
/// and nobody needs to wonder why.
[[nodiscard]] std::string savings_text(const sim::Savings& savings, std::size_t ranks);
[[nodiscard]] std::string verification_text(const Verification& verification, std::size_t ranks);

}  // namespace orrery::app
