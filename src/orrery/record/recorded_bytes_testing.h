// SPDX-License-Identifier: Apache-2.0
//
// For tests that compare recordings: the bytes of a run file without what depends on the simulator.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "orrery/record/make_run.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_file_testing.h"
#include "orrery/sim/simulate.h"

namespace orrery::record::testing {

struct RecordedBytes {
  std::string bytes;  ///< empty: the case is refused
  std::uint32_t representatives = 0;
  std::uint64_t skipped = 0;  ///< iterations
  bool stalled = false;
  std::string unfolded_reason{};
};

/// Records a run and stores it. The stored counts of events and the places of findings are dropped:
/// they are those of simulated ranks.
inline RecordedBytes recorded_bytes(const graph::Workload& workload,
                                    const platform::Platform& platform, bool fold, bool skip) {
  sim::Options options;
  options.record = true;
  options.fold = fold;
  options.skip_repeats = skip;
  const auto result = sim::simulate(workload, platform, options);
  if (!result) return {};
  result::Run run = make_run(workload, platform, *result);
  run.events = 0;
  Findings counts;
  for (const Finding& finding : run.findings.list()) counts.add(finding.code, {}, finding.count);
  run.findings = counts;
  const result::testing::TemporaryFolder folder;
  const std::string path = folder / "run.orrery";
  const auto written = result::write_run(run, path, true);
  EXPECT_TRUE(written.has_value());
  EXPECT_TRUE(result::read_run(path).has_value());
  return {result::testing::read_bytes(path), result->savings.representatives,
          result->savings.iterations_skipped, result->stall.has_value(),
          result->savings.unfolded_reason};
}

}  // namespace orrery::record::testing
