// SPDX-License-Identifier: Apache-2.0
//
// What a replay measures. Module, generated programs and reports share it, so it uses only the
// standard library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orrery::bench {

/// Measurements of a replay. Times are in nanoseconds.
struct ReplayOutcome {
  std::int64_t prepare_ns = 0;                ///< setup: memory, handles
  std::vector<std::int64_t> wall_ns, cpu_ns;  ///< by iteration; cpu_ns: CPU time of the process
  /// By iteration and step; begin_ns: relative to the begin of the iteration.
  std::vector<std::int64_t> begin_ns, length_ns;
  /// By iteration and exchange: begin, relative to the begin of the iteration, and duration.
  std::vector<std::int64_t> exchange_begin_ns, exchange_length_ns;
  std::vector<std::uint32_t> failures;  ///< by step: number of iterations in which it failed
  std::vector<std::string> reasons;     ///< by step: cause of the first failure, one line
  std::vector<std::uint8_t> reshaped;   ///< by step: 1: results had other sizes than recorded
  std::int64_t external_bytes = 0;      ///< allocated before the first step, without copies
  std::int64_t copies_bytes = 0;        ///< size of these copies
  std::int64_t peak_bytes = 0;          ///< maximum allocation, without copies; -1: unknown
  // From the last unmeasured iteration:
  /// By step: allocated after it, and maximum during it, without copies; empty: unknown.
  std::vector<std::int64_t> held_bytes, most_bytes;
  std::map<std::string, std::uint64_t>
      operator_counts;  ///< number of operators by name, including inner ones
  // Over all measured iterations:
  std::int64_t energy_uj = -1;  ///< energy consumption of the processors; -1: unknown
  std::int64_t energy_ns = 0;   ///< duration in which energy_uj was measured
};

}  // namespace orrery::bench
