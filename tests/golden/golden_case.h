// SPDX-License-Identifier: Apache-2.0
//
// One run of the reference simulator: its inputs, its answer, and ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/workload.h"
#include "orrery/platform/platform.h"

namespace orrery::golden {

/// Per-NPU values; empty = that NPU never finished.
using PerNpu = std::vector<std::optional<std::int64_t>>;

/// What a simulator answered: an exit code, and cycles of 1 ns.
struct Answer {
  int exit_code = 0;  ///< ours per the exit-code table; the reference's own (134 = abort, -1 = ran
                      ///< into its time limit)
  PerNpu finish;
  PerNpu exposed;
  std::string message;                ///< ours, when it is not 0
  std::uint32_t representatives = 0;  ///< ranks simulated
  std::string unfolded_reason{};      ///< why all of them
};

struct Case {
  std::string name;
  std::string folder;
  Answer expected;
};

/// All cases below `folder` (one folder each), by name. `expected` is empty if it is not known.
[[nodiscard]] std::vector<Case> list_cases(const std::string& folder);

struct CaseInputs {
  platform::Platform platform;
  graph::Workload workload;
};
/// Reads a case's inputs. Errc: those of the readers.
[[nodiscard]] Result<CaseInputs> read_inputs(const Case& golden);

/// Runs a case as an ASTRA-sim user's command line would.
[[nodiscard]] Answer run_case(const Case& golden, bool fold = false);

/// When each NPU finishes under Orrery's rules, in ps; none: the inputs cannot be simulated so.
struct OrreryTimes {
  PerNpu finish;
  std::string refused;         ///< why there are none
  std::uint64_t messages = 0;  ///< that were sent
};
/// A case's inputs, latencies rounded to whole picoseconds. `fabric`: with its dimensions as a
/// graph.
[[nodiscard]] OrreryTimes run_with_orrery_rules(const Case& golden,
                                                platform::NetworkModelKind network, bool fabric);

/// The first difference between two answers in words; empty when they are the same.
[[nodiscard]] std::string difference(const Answer& expected, const Answer& actual);

}  // namespace orrery::golden
