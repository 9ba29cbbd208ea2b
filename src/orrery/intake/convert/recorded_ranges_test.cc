// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/recorded_ranges.h"

#include <gtest/gtest.h>

#include "orrery/intake/convert/convert.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::intake {
namespace {

using graph::Workload;

/// The graph of a rank, its ranges, and its total host time.
struct Converted {
  explicit Converted(const profile::Profile& profile) {
    Findings findings;
    const auto dependencies = profile::find_dependencies(profile, {}, findings);
    auto graph =
        convert_to_graph(profile, dependencies, {}, std::make_shared<StringPool>(), findings);
    workload.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
    workload.graph_of_rank = {0};
    workload.host_ranges = {recorded_ranges(profile, dependencies)};
  }
  [[nodiscard]] static Time total(const Workload& workload) {
    Time sum{};
    for (graph::NodeId n = 0; n < workload.graph(0).size(); ++n)
      sum += workload.graph(0).duration(n);
    return sum;
  }
  [[nodiscard]] Time after(std::string_view text, double factor) const {
    return total(graph::scale_ranges(workload, text, factor));
  }

  Workload workload;
};

// A thread that loads for 40 us, works for 20 us, and then runs an optimizer of 30 us with one
// operator inside. 10 us of gaps lie between them.
profile::Profile training() {
  profile::Maker make;
  const auto main = make.thread(1);
  make.annotation(main, "ProfilerStep#3", 0, 110);
  make.annotation(main, "enumerate(DataLoader)#_Iter.__next__", 0, 40);
  make.op(main, "aten::mm", 50, 20);
  make.annotation(main, "Optimizer.step#SGD.step", 80, 30);
  make.op(main, "aten::add_", 85, 10);
  return make.take();
}

TEST(RecordedRanges, ScaleTheirPartOfTheHostTime) {
  const Converted converted(training());
  EXPECT_EQ(Converted::total(converted.workload), us(110));
  EXPECT_EQ(graph::time_in_ranges(converted.workload, "DataLoader"), us(40));
  EXPECT_EQ(graph::time_in_ranges(converted.workload, "Optimizer.step"), us(30));
  EXPECT_EQ(graph::time_in_ranges(converted.workload, "ProfilerStep"), us(110));
  EXPECT_EQ(converted.after("DataLoader", 0), us(70) + ps(1)) << "a node keeps a picosecond";
  EXPECT_EQ(converted.after("DataLoader", 2), us(150));
  EXPECT_EQ(converted.after("Optimizer", 0.5), us(95));
  // A range within another counts once.
  EXPECT_EQ(converted.after("e", 0.5), us(55));
  EXPECT_EQ(converted.after("no such range", 0), us(110));
}

TEST(RecordedRanges, OperatorsOfLibrariesAreNone) {
  const Converted converted(training());
  EXPECT_EQ(graph::time_in_ranges(converted.workload, "aten::"), Time{});
  profile::Maker make;
  make.op(make.thread(1), "aten::mm", 0, 10);
  make.op(make.thread(1), "MmBackward0", 20, 10);
  EXPECT_EQ(Converted(make.take()).workload.host_ranges.front(), nullptr);
}

}  // namespace
}  // namespace orrery::intake
