// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/compute_model.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/model/memory/remote_memory.h"

namespace orrery::model {
namespace {

using platform::Platform;
using platform::Rules;

/// Nodes: 0 recorded and with work, 1 with work only, 2 recorded only, 3 on the CPU.
graph::Graph four_nodes() {
  graph::GraphBuilder builder("nodes", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::uint64_t id = 0; id < 4; ++id) {
    graph::NodeSpec node;
    node.id = id;
    node.kind = graph::NodeKind::comp;
    if (id != 1) node.duration = us(7);
    if (id != 2) {
      node.flags = graph::kHasNumOps | graph::kHasTensorSize;
      node.work = {100'000'000, Bytes(1000)};
    }
    if (id == 3) node.flags |= graph::kIsCpu;
    builder.add(node);
  }
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::move(*made);
}

Platform fast(TimeSource compute) {
  Platform made;
  made.device.peak = FlopRate(1e14);
  made.device.memory = Bandwidth(2e12);
  made.device.rated = made.device.peak;
  made.device.compute = compute;
  return made;
}

TEST(ComputeModel, SaysWhichModelAnswersAndNothingOfErrorsThatNobodyKnows) {
  const graph::Graph graph = four_nodes();
  const TimeEstimate recorded{us(7), TimeSource::recorded}, worked_out{us(1), TimeSource::roofline};
  const TimeEstimate nothing{Time{}, TimeSource::recorded};
  const auto answers = [&](const Platform& platform) {
    const auto compute = make_compute_model(platform);
    std::vector<TimeEstimate> all;
    for (graph::NodeId node = 0; node < 4; ++node) {
      all.push_back(*compute->time(graph, node));
      EXPECT_EQ(all.back().source, compute->source(graph, node));
      EXPECT_FALSE(all.back().band.has_value());
    }
    return all;
  };
  using All = std::vector<TimeEstimate>;
  EXPECT_EQ(answers(fast(TimeSource::recorded)), (All{recorded, nothing, recorded, recorded}));
  EXPECT_EQ(answers(fast(TimeSource::automatic)), (All{recorded, worked_out, recorded, recorded}));
  EXPECT_EQ(answers(fast(TimeSource::roofline)), (All{worked_out, worked_out, recorded, recorded}));
  Platform replay = fast(TimeSource::roofline);
  replay.replay_only = true;
  EXPECT_EQ(answers(replay), (All{recorded, nothing, recorded, recorded}));
}

TEST(ComputeModel, RefusesWhatItCannotKnow) {
  const graph::Graph graph = four_nodes();
  Platform astra = fast(TimeSource::roofline);
  astra.rules = Rules::astra;
  EXPECT_EQ(make_compute_model(astra)->time(graph, 2).error().code, Errc::input_missing_attr);
  Platform slow = fast(TimeSource::roofline);
  slow.device.peak = FlopRate(1e-9);
  EXPECT_EQ(make_compute_model(slow)->time(graph, 0).error().code, Errc::config_range);
}

TEST(Memory, SaysWhichMemoryAnswers) {
  Platform platform = fast(TimeSource::recorded);
  platform.remote_memory = {platform::RemoteMemoryKind::pool, ns(300), Bandwidth(1e9)};
  EXPECT_EQ(*RemoteMemory(platform).time(Bytes(1000)),
            (TimeEstimate{ns(1300), TimeSource::memory}));
  EXPECT_EQ(*local_memory(Bytes(2'000'000), platform.device),
            (TimeEstimate{us(1), TimeSource::memory}));
  platform.device.memory = Bandwidth(0);
  EXPECT_EQ(local_memory(Bytes(1), platform.device).error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::model
