// SPDX-License-Identifier: Apache-2.0
//
// Our critical path beside the one of HTA (Holistic Trace Analysis) on the trace of its own test.
// The differences are explained in docs/critical-path.md.
#include <gtest/gtest.h>

#include <filesystem>

#include "hta_trace.h"
#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/core/paths_testing.h"

namespace orrery::hta {
namespace {

const std::string kFolder =
    std::string(core_testing::kSourceFolder) + "/../shared/data/traces/hta/";

TEST(HtaGolden, CriticalPathOfSimpleAdd) {
  if (!std::filesystem::exists(kFolder))
    GTEST_SKIP() << "HTA's traces are not beside the project (../shared/data/traces/hta)";
  const Trace trace = read_trace(kFolder + "cp_simple_add.a100.json.gz");
  const Trace golden = read_trace(kFolder + "cp_simple_add.overlaid_expected.json.gz");
  ASSERT_EQ(trace.events.size(), golden.events.size());
  RecordedRun recorded = make_run(trace);
  analysis::find_critical_path(recorded.run);
  // The stretch in which the device works off its last kernels while the host goes on.
  constexpr std::int64_t kLastLaunch = 1694040010096346, kLastWait = 1694040010097115;
  std::size_t marked = 0, both = 0, instant = 0, end_ours = 0, end_theirs = 0, last = 0;
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = golden.events[e];
    ASSERT_EQ(trace.events[e].name, event.name);
    bool ours = false;
    for (const std::uint32_t span : recorded.spans_of[e])
      ours = ours || recorded.run.timelines[0].spans[span].critical;
    marked += event.marked ? 1 : 0;
    both += ours && event.marked ? 1 : 0;
    if (ours == event.marked) continue;
    if (ours && event.start == event.end) {
      ++instant;
    } else if (event.start > kLastLaunch && event.start < kLastWait) {
      EXPECT_EQ(ours, !event.on_device()) << event.name;
      ++(ours ? end_ours : end_theirs);
    } else if (ours && e + 1 == trace.events.size()) {
      EXPECT_EQ(event.name, "cudaDeviceSynchronize");
      ++last;
    } else {
      ADD_FAILURE() << event.category << " " << event.name << " at " << event.start
                    << (ours ? " only on our path" : " only on HTA's");
    }
  }
  // The figures of docs/critical-path.md.
  EXPECT_EQ(marked, 624u);
  EXPECT_EQ(both, 618u);
  EXPECT_EQ(instant, 74u);
  EXPECT_EQ(end_ours, 13u);
  EXPECT_EQ(end_theirs, 6u);
  EXPECT_EQ(last, 1u);
}

}  // namespace
}  // namespace orrery::hta
