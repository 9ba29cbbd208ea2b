// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/similarity.h"

#include <gmock/gmock.h>

#include "addons/bench/planner/bench_testing.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* kFloats = R"j(["Tensor(float)"])j";

/// y = linear(x, w, b) by addmm, which keeps 32 numbers in storage 30, that a later relu reads.
std::vector<NodeLine> keeping() {
  NodeLine linear{5,
                  "aten::linear",
                  kLinear,
                  "[" + tensor(1, 2, 32) + "," + tensor(3, 4, 64) + "," + tensor(5, 6, 8) + "]",
                  "[[4,8],[8,8],[8]]",
                  R"j(["Tensor(float)","Tensor(float)","Tensor(float)"])j",
                  "[" + tensor(9, 19, 32) + "]",
                  "[[4,8]]",
                  kFloats};
  NodeLine t{6,
             "aten::t",
             kT,
             "[" + tensor(3, 4, 64) + "]",
             "[[8,8]]",
             kFloats,
             "[" + tensor(7, 4, 64) + "]",
             "[[8,8]]",
             kFloats,
             5};
  NodeLine retained = relu_node(7, 1, 2, 29, 30, 5);
  NodeLine addmm{8,
                 "aten::addmm",
                 kAddmm,
                 "[" + tensor(5, 6, 8) + "," + tensor(1, 2, 32) + "," + tensor(7, 4, 64) + ",1,1]",
                 "[[8],[4,8],[8,8],[],[]]",
                 R"j(["Tensor(float)","Tensor(float)","Tensor(float)","Int","Int"])j",
                 "[" + tensor(9, 19, 32) + "]",
                 "[[4,8]]",
                 kFloats,
                 5};
  NodeLine after = relu_node(9, 9, 19, 40, 41);
  after.input_shapes = "[[4,8]]";
  return {linear, t, retained, addmm, after, relu_node(10, 29, 30, 42, 43)};
}

struct Compare {
  profile::Profile profile;
  ReplayPlan plan;
  ReplayOutcome outcome;
};

/// The above, played in two iterations of 100 and 200 ns for each step.
Compare played() {
  Compare made;
  made.profile = *profile_of(trace_text(keeping()));
  made.plan = *make_plan(made.profile, few_operators(), {});
  const std::size_t steps = made.plan.steps.size();
  made.outcome.wall_ns = {400, 800};
  made.outcome.cpu_ns = {300, 600};
  for (std::size_t i = 0; i < 2 * steps; ++i) {
    made.outcome.begin_ns.push_back(0);
    made.outcome.length_ns.push_back(i < steps ? 100 : 200);
  }
  made.outcome.failures.assign(steps, 0);
  made.outcome.reasons.assign(steps, {});
  made.outcome.reshaped.assign(steps, false);
  made.outcome.external_bytes = 1000;
  made.outcome.held_bytes = {1256, 1256, 1128};
  made.outcome.most_bytes = {1256, 1384, 1384};
  made.outcome.operator_counts = {
      {"aten::linear", 1}, {"aten::t", 1}, {"aten::addmm", 1}, {"aten::relu", 3}};
  return made;
}

// What is used later without having been a result comes into being behind its maker.
TEST(BenchKept, MemoryComesWithTheOperatorThatKeepsIt) {
  const Compare made = played();
  ASSERT_THAT(made.plan.steps, SizeIs(3));
  ASSERT_THAT(made.plan.storages, SizeIs(4));
  EXPECT_EQ(made.plan.storages[3].after, 0u);
  EXPECT_EQ(made.plan.storages[3].bytes, 128);
  EXPECT_EQ(made.plan.external_bytes, 4 * (32 + 64 + 8)) << "not there before";
  EXPECT_EQ(made.plan.restored_bytes, 0) << "it is filled anew";
  EXPECT_EQ(made.plan.peak_bytes, made.plan.external_bytes + 3 * 128);
  EXPECT_THAT(made.plan.steps[2].last, testing::Contains(made.plan.externals[3].slot));
}

TEST(BenchKept, WhatNobodyUsesLaterIsNotKept) {
  std::vector<NodeLine> nodes = keeping();
  nodes.pop_back();
  const auto plan = plan_of(nodes, few_operators());
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->storages, SizeIs(3));
}

TEST(BenchMemoryCurve, LivesFromMakerToLastUse) {
  const Compare made = played();
  const MemoryCurve recorded =
      recorded_memory(made.profile, InnerOperators(made.profile), made.plan);
  // linear makes 19 and 30; the first relu makes 41 and ends 19; the second makes 43 and ends 30.
  EXPECT_THAT(recorded.most, ElementsAre(256, 384, 256));
  EXPECT_THAT(recorded.held, ElementsAre(256, 128, 0));
  EXPECT_EQ(recorded.peak(), 384);
  const MemoryCurve replayed = replayed_memory(made.plan, made.outcome);
  EXPECT_THAT(replayed.most, ElementsAre(256, 384, 384));
  EXPECT_THAT(replayed.held, ElementsAre(256, 256, 128));
  const MemoryCurves both{recorded, replayed, false};
  EXPECT_DOUBLE_EQ(both.peak_change().value(), 0);
  EXPECT_DOUBLE_EQ(both.mean_distance().value(), 128.0 / 3 / 384);
}

/// What a profiler saw counts, from the first operator to the end of the last one.
TEST(BenchMemoryCurve, IsAsAllocatedWhereThatIsRecorded) {
  Compare made = played();
  EXPECT_TRUE(profiled_memory(made.profile, made.plan).most.empty()) << "no times, no changes";
  for (std::size_t i = 0; i < 3; ++i) {
    profile::Event& event = made.profile.events[made.plan.sources[i].event];
    event.start = Time(static_cast<std::int64_t>(10 * (i + 1)));
    event.duration = Time(5);
    event.flags |= profile::kTimed;
  }
  EXPECT_TRUE(profiled_memory(made.profile, made.plan).most.empty()) << "no changes";
  made.profile.memory = {{Time(5), 1000, false},  {Time(11), 64, false}, {Time(12), -16, false},
                         {Time(17), -16, false},  {Time(21), 8, false},  {Time(35), 100, false},
                         {Time(36), 5000, false}, {Time(20), 4, false}};
  const MemoryCurve host = profiled_memory(made.profile, made.plan);
  EXPECT_THAT(host.most, ElementsAre(64, 44, 144));
  EXPECT_THAT(host.held, ElementsAre(32, 44, 144));
  made.profile.memory.push_back({Time(22), 7, true});
  EXPECT_THAT(profiled_memory(made.profile, made.plan).most, ElementsAre(0, 7, 7));
  const Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  EXPECT_TRUE(equivalent.memory.profiled);
}

TEST(BenchMemoryCurve, OfNothingThereIsNoPeak) {
  const MemoryCurves none;
  EXPECT_EQ(none.recorded.peak(), 0);
  EXPECT_FALSE(none.peak_change());
  EXPECT_FALSE(none.mean_distance());
}

TEST(BenchWork, IsThatOfTheKernelOrOfWhatIsCalled) {
  const Compare made = played();
  const InnerOperators inside(made.profile);
  WorkCounter works(made.profile, inside);
  const Work linear = works.of(made.plan.sources[0].event);
  EXPECT_EQ(linear.kind, WorkClass::product);
  EXPECT_TRUE(linear.known);
  EXPECT_DOUBLE_EQ(linear.flops, 2 * 4 * 8 * 8);
  const Work relu = works.of(made.plan.sources[1].event);
  EXPECT_EQ(relu.kind, WorkClass::elementwise);
  EXPECT_DOUBLE_EQ(relu.bytes, 2 * 128);
}

TEST(BenchWork, EveryKernelHasAKind) {
  for (std::size_t o = 1; o < graph::kOperations; ++o)
    EXPECT_NE(class_of(static_cast<graph::Operation>(o)), WorkClass::other) << o;
  EXPECT_EQ(class_of(graph::Operation::unsaid), WorkClass::other);
}

TEST(BenchSimilarity, ComparesKindsAndNames) {
  const Compare made = played();
  const Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  const OperatorComparison& products =
      equivalent.classes[static_cast<std::size_t>(WorkClass::product)];
  EXPECT_EQ(products.recorded.count, 1u);
  EXPECT_EQ(products.replayed.ns, 100) << "the median of 100 and 200, by rank";
  EXPECT_DOUBLE_EQ(products.replayed.flops_rate(), 512 / 100e-9);
  ASSERT_THAT(equivalent.names, SizeIs(2));
  EXPECT_EQ(equivalent.names[0].name, "aten::relu");
  EXPECT_EQ(equivalent.names[0].replayed.ns, 200) << "two of them";
  EXPECT_FALSE(equivalent.timed);
  EXPECT_FALSE(equivalent.time_distance()) << "nothing recorded says how long";
  EXPECT_DOUBLE_EQ(equivalent.utilization.processor.value(), 0.75);
  EXPECT_FALSE(equivalent.utilization.watts);
}

TEST(BenchSimilarity, CountsInnerOperators) {
  Compare made = played();
  Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  EXPECT_EQ(equivalent.recorded_operators(), 6u);
  EXPECT_EQ(equivalent.replayed_operators(), 6u);
  EXPECT_DOUBLE_EQ(equivalent.mix_distance().value(), 0);
  made.outcome.operator_counts = {{"aten::linear", 1}, {"aten::addmm", 1}, {"aten::mul", 2}};
  equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  // 1/6 t, 3/6 relu more; 1/4 - 1/6 linear and addmm less, 2/4 mul: half of 4/3.
  EXPECT_NEAR(equivalent.mix_distance().value(), 2.0 / 3, 1e-12);
  made.outcome.operator_counts.clear();
  EXPECT_FALSE(similarity_of(made.profile, made.plan, made.outcome, 1).mix_distance());
}

// What failed has not done its work; its time belongs to no kind.
TEST(BenchSimilarity, FailuresAreNotReplayed) {
  Compare made = played();
  made.outcome.failures[0] = 2;
  const Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  const OperatorComparison& products =
      equivalent.classes[static_cast<std::size_t>(WorkClass::product)];
  EXPECT_EQ(products.recorded.count, 1u);
  EXPECT_EQ(products.replayed.count, 0u);
  EXPECT_EQ(products.replayed.flops_rate(), 0);
}

TEST(BenchSimilarity, CommunicationHasTimesWhereItIsReplayed) {
  Compare made = played();
  std::vector<NodeLine> nodes = keeping();
  nodes.push_back({11, "c10d::allreduce_", "c10d::allreduce_(Tensor[] t) -> ()"});
  made.profile = *profile_of(trace_text(nodes));
  EXPECT_TRUE(similarity_of(made.profile, made.plan, made.outcome, 1).communications.empty());
  PlanSource source{"c10d::allreduce_"};
  for (profile::EventId e = 0; e < made.profile.events.size(); ++e)
    if (made.profile.node(e) != nullptr && made.profile.node(e)->id == 11) source.event = e;
  made.plan.sources.push_back(source);
  ReplayStep step;
  step.source = 3;
  made.plan.steps.push_back(step);
  made.outcome.length_ns = {100, 100, 100, 40, 200, 200, 200, 60};
  made.outcome.failures.push_back(0);
  const Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  ASSERT_THAT(equivalent.communications, SizeIs(1));
  EXPECT_EQ(equivalent.communications[0].kind, profile::CommKind::all_reduce);
  EXPECT_EQ(equivalent.communications[0].replayed, 1u);
  EXPECT_EQ(equivalent.communications[0].replayed_ns, 40);
  const auto& of_kind = equivalent.classes[static_cast<std::size_t>(WorkClass::communication)];
  EXPECT_EQ(of_kind.replayed.count, 1u);
}

TEST(BenchSimilarity, PowerIsEnergyByTime) {
  Compare made = played();
  made.outcome.energy_uj = 30;
  made.outcome.energy_ns = 2000;
  EXPECT_DOUBLE_EQ(
      similarity_of(made.profile, made.plan, made.outcome, 2).utilization.watts.value(), 15);
}

/// As above with times of the host, and two kernels of linear on a device.
TEST(BenchSimilarity, RecordedTimesAreOfTheDeviceWhereThereIsOne) {
  Compare made = played();
  made.plan.timed = true;
  for (PlanSource& source : made.plan.sources) source.recorded = Time(2'000'000);
  Similarity equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  EXPECT_FALSE(equivalent.on_device);
  // Recorded 2 of 6 us products; replayed 100 of 300 ns: the same.
  EXPECT_NEAR(equivalent.time_distance().value(), 0, 1e-12);
  const std::uint32_t stream = made.profile.lane(true, 0, 7);
  for (const std::int64_t start : {0, 3'000'000}) {
    profile::Work work;
    work.op = made.plan.sources[0].event;
    work.launch = made.profile.strings->intern(R"({"est. achieved occupancy %":50})");
    profile::Event kernel;
    kernel.kind = profile::Kind::kernel;
    kernel.name = made.profile.strings->intern("sgemm");
    kernel.lane = stream;
    kernel.start = Time(start);
    kernel.duration = Time(1'000'000);
    kernel.flags = profile::kTimed;
    kernel.detail = static_cast<std::uint32_t>(made.profile.works.size());
    made.profile.works.push_back(work);
    made.profile.events.push_back(kernel);
  }
  equivalent = similarity_of(made.profile, made.plan, made.outcome, 1);
  EXPECT_TRUE(equivalent.on_device);
  const OperatorComparison& products =
      equivalent.classes[static_cast<std::size_t>(WorkClass::product)];
  EXPECT_EQ(products.recorded.ns, 2000);
  EXPECT_EQ(products.host_ns, 2000);
  EXPECT_EQ(products.kernels, 2u);
  EXPECT_DOUBLE_EQ(equivalent.utilization.device.value(), 0.5) << "2 of 4 us";
  EXPECT_DOUBLE_EQ(equivalent.utilization.occupancy.value(), 0.5);
  // All of it in products there; a third here.
  EXPECT_NEAR(equivalent.time_distance().value(), 2.0 / 3, 1e-12);
}

}  // namespace
}  // namespace orrery::bench
