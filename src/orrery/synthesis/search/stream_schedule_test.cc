// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/methods/stream_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/synthesis/fabric/fabric_state_testing.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/schedules/schedule_plan.h"
#include "orrery/synthesis/search/routes/tree_packing.h"
#include "orrery/synthesis/search/synthesize.h"

namespace orrery::synthesis {
namespace {

using enum graph::CollectiveType;

Synthesis made_for(const FabricState& fabric, graph::CollectiveType type, Bytes bytes,
                   std::int64_t chunks = 0, std::vector<std::vector<std::uint32_t>> groups = {}) {
  SynthesisQuestion question;
  question.type = type;
  question.bytes = bytes;
  question.chunks = chunks;
  question.groups = std::move(groups);
  auto made = synthesize(fabric, question);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  if (!made) return {};
  EXPECT_EQ(schedule_error(fabric, made->schedule), "") << graph::name(type) << ' ' << made->method;
  EXPECT_GE(made->time, made->bound.total) << graph::name(type) << ' ' << made->method;
  return std::move(*made);
}

double above(const Synthesis& made) {
  return static_cast<double>(made.time.count()) / static_cast<double>(made.bound.total.count()) - 1;
}

/// 4 hosts of 4, a NIC for each device, two leaves under two spines.
FabricState small_fat_tree() {
  platform::NetworkPlan plan;
  plan.shape = platform::NetworkShape::fat_tree;
  plan.per_leaf = 8;
  plan.radix = 16;
  plan.port = cable(50, 700);
  plan.trunk = cable(50, 300);
  return fabric_state_for(platform::generate(
      "small",
      {{4, 4, platform::HostInterconnect::switched, 1, cable(450, 200), 4, cable(64, 250)}}, plan,
      "small"));
}

// A search that sends pieces one after another at a link's whole rate left 3 to 12 % here.
TEST(Streams, SwitchesAreFilled) {
  const FabricState fabric = small_fat_tree();
  for (const auto type : {all_gather, reduce_scatter, all_reduce})
    EXPECT_LT(above(made_for(fabric, type, Bytes(1 << 28))), 0.02) << graph::name(type);
  EXPECT_LT(above(made_for(fabric, all_to_all, Bytes(1 << 28))), 0.08);
}

// A reduce-scatter and then an all-gather, in parts, were 25 % above the bound: corners have two
// links each way, and are leaves of most trees.
TEST(Streams, AllReducesOfMeshesGoUpAndDownTrees) {
  const Synthesis made = made_for(mesh({8, 8}), all_reduce, Bytes(1 << 30));
  EXPECT_LT(above(made), 0.13) << made.method;
  EXPECT_NE(made.method.find("trees"), std::string::npos) << made.method;
}

TEST(Streams, TreesAreCutAsOftenAsIsAsked) {
  const FabricState fabric = small_fat_tree();
  for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all}) {
    const Synthesis made = made_for(fabric, type, Bytes(1 << 24), 8);
    const std::size_t shards = type == all_to_all ? 16 * 15 : 16;
    EXPECT_EQ(made.schedule.pieces.size(), 8 * shards) << graph::name(type) << ' ' << made.method;
  }
}

// Members that only others join, and groups that share links and ranks: some pieces have to pass
// members of the other group, which no search let them.
TEST(Streams, GroupsThatOthersJoin) {
  const FabricState fabric = random_fabric(11, {.devices = 10, .switches = 3, .more_links = 6});
  for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all}) {
    (void)made_for(fabric, type, Bytes(1'000'003), 0, {{0, 4, 7}});
    (void)made_for(fabric, type, Bytes(1'000'003), 0, {{0, 1, 2, 3}, {2, 3, 8, 9}});
  }
}

// A plan has only the order of what is sent: of streams that share links, too, it has to be right.
TEST(Streams, ArePlans) {
  for (const auto type : {all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const FabricState fabric = random_fabric(
          seed, {.devices = 5 + static_cast<std::uint32_t>(seed), .switches = 2, .more_links = 5});
      const Synthesis made = made_for(fabric, type, Bytes(1 << 18));
      const auto plan = plan_of_schedule(made.schedule, "made");
      ASSERT_TRUE(plan) << to_string(plan.error());
      const PlanCheck check = check_plan(*plan);
      EXPECT_TRUE(check.is_valid()) << graph::name(type) << ' ' << made.method << ": "
                                    << (check.errors.empty() ? "" : check.errors.front().what);
      EXPECT_TRUE(check.result_checked) << check.unchecked_reason;
    }
  }
}

// A plan has no rates: without them everything is sent at what links have.
TEST(Streams, AreNotWhereNobodyAsks) {
  const FabricState fabric = small_fat_tree();
  for (const auto type : {all_gather, all_reduce, all_to_all, broadcast}) {
    SynthesisQuestion question;
    question.type = type;
    question.bytes = Bytes(1 << 24);
    question.streams = false;
    const auto made = synthesize(fabric, question);
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->method.starts_with("pipelined")) << made->method;
  }
}

// One tree over a line of four, the first hop at a third of the rate of the others: a slot is what
// that takes for a part, and the last part is there after two hops more.
TEST(Streams, TakeASlotForEachPartAndHop) {
  platform::TopologyBuilder builder("line", "test");
  for (int i = 0; i < 4; ++i) builder.add(platform::NodeClass::device, "npu" + std::to_string(i));
  builder.join(0, 1, cable(10, 1000));
  builder.join(1, 2, cable(30, 1000));
  builder.join(2, 3, cable(30, 1000));
  const FabricState fabric = fabric_state_for(builder.finish("line"));
  const std::int64_t bytes = 10'000'000;  // 1 ms over the first
  const std::vector<Group> groups{{broadcast, Bytes(bytes), fabric.rank_devices, 0}};
  TreeTask task;
  task.stores = fabric.rank_devices;
  task.root = {fabric.rank_devices[0]};
  task.group = {0};
  task.bytes = {bytes};
  task.required.assign(1, std::vector<bool>(4, true));
  const TreePacking packed = pack_trees(fabric, task);
  EXPECT_NEAR(packed.bottleneck_seconds, 1e-3, 1e-9);
  const auto pieces = [&](std::int64_t parts) { return pieces_of(groups, parts); };
  const StreamTask streams{fabric,  groups, packed.route_graph, packed.piece_routes,
                           {bytes}, pieces};
  const auto made = schedule_streams(streams, 10, kTimeMax);
  ASSERT_TRUE(made);
  EXPECT_EQ(schedule_error(fabric, *made), "");
  // 12 slots of 100 us, and 3 us; rates are whole bytes per second.
  EXPECT_NEAR(static_cast<double>(made->end().count()), 1203e6, 24);
  EXPECT_FALSE(schedule_streams(streams, 10, us(1203)));  // not below it
}

}  // namespace
}  // namespace orrery::synthesis
