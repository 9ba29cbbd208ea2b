// SPDX-License-Identifier: Apache-2.0
//
// For tests that compare recordings: the bytes of a run file without what depends on the simulator.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "orrery/record/make_run.h"
#include "orrery/result/random_run_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_columns_testing.h"
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

/// Compares all spans and names of a run with what queries of its file return.
inline void expect_equal_queries(const result::Run& run, const std::string& path) {
  for (const char* name : {"span", "name"}) {
    const auto table = result::run_table(run, name);
    ASSERT_TRUE(table.has_value());
    result::testing::expect_equal(*table, path);
  }
}

/// Records a run and stores it; it must be the same when it is read again, and in queries if
/// `query`. The stored counts of events and the places of findings are dropped: they are those of
/// simulated ranks.
inline RecordedBytes recorded_bytes(const graph::Workload& workload,
                                    const platform::Platform& platform, bool fold, bool skip,
                                    bool query = false) {
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
  const auto again = result::read_run(path);
  EXPECT_TRUE(again.has_value());
  if (again) {
    EXPECT_EQ(result::testing::difference(run, *again), "") << "after it was read again";
  }
  if (query) expect_equal_queries(run, path);
  return {result::testing::read_bytes(path), result->savings.representatives,
          result->savings.iterations_skipped, result->stall.has_value(),
          result->savings.unfolded_reason};
}

}  // namespace orrery::record::testing
