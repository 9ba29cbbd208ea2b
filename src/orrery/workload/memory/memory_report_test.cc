// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "orrery/workload/memory/memory_testing.h"

namespace orrery::workload {
namespace {

const MemoryOptions kExact{.fragmentation = 0};

RoleMemory only_role(const Program& program, const MemoryOptions& options = kExact) {
  const auto report = account_memory(program, options);
  EXPECT_TRUE(report.has_value());
  EXPECT_EQ(report->roles.size(), program.roles.size());
  EXPECT_EQ(sum_of(report->roles[0].at_peak), report->roles[0].peak);
  return report->roles[0];
}

std::vector<std::int64_t> bytes_of(const std::vector<MemorySample>& samples) {
  std::vector<std::int64_t> out;
  for (const MemorySample& sample : samples) out.push_back(sample.bytes);
  return out;
}

// Two layers that keep 100 and work with 10, through two microbatches one after another: the last
// layer's forward and backward passes are the worst moments.
TEST(Memory, ForwardFillsAndBackwardEmpties) {
  const Program program = program_of({}, {layer(100, 10)},
                                     {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0},
                                                              {Pass::forward, 0, 1},
                                                              {Pass::backward, 0, 0},
                                                              {Pass::backward, 0, 1}})});
  const RoleMemory memory = only_role(program);
  EXPECT_EQ(bytes_of(memory.samples), (std::vector<std::int64_t>{210, 410, 410, 210}));
  EXPECT_EQ(memory.peak, 410);
  EXPECT_EQ(memory.peak_task, 1u);  // the first such moment
  EXPECT_EQ(memory.activations, 400);
  EXPECT_EQ(memory.working, 10);
  EXPECT_EQ(memory.samples[2].kind, TaskKind::backward);
  EXPECT_EQ(memory.samples[3].microbatch, 1u);
}

// Backward, a layer's activations go before those of the layer in front of it are looked at: a
// small last layer with much to work with and a large first one do not add up.
TEST(Memory, BackwardFreesLayerByLayer) {
  const Program program = program_of(
      {}, {layer(100, 1), layer(10, 500)},
      {role_of({{{0, 1, 0}, {1, 1, 1}}}, {{Pass::forward, 0, 0}, {Pass::backward, 0, 0}})});
  const RoleMemory memory = only_role(program);
  EXPECT_EQ(memory.peak, 610);  // at the last layer: 100 + 10 + 500
  Program turned = program;
  turned.roles[0].chunks = {{{1, 1, 0}, {0, 1, 1}}};
  EXPECT_EQ(only_role(turned).peak, 510);  // at the first: 10 + 500; at the last 10 + 100 + 1
}

TEST(Memory, SplitBackwardKeepsActivationsUntilTheWeightHalf) {
  const Program program = program_of({}, {layer(100)},
                                     {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0},
                                                              {Pass::input_grad, 0, 0},
                                                              {Pass::forward, 0, 1},
                                                              {Pass::weight_grad, 0, 0},
                                                              {Pass::input_grad, 0, 1},
                                                              {Pass::weight_grad, 0, 1}})});
  EXPECT_EQ(bytes_of(only_role(program).samples),
            (std::vector<std::int64_t>{200, 200, 400, 400, 200, 200}));
}

// Between the halves there is what the weights' gradients need; while an input half is at a layer,
// the larger of that and of what the layer kept. Two layers that keep 100, then 60 or 130.
TEST(Memory, SplitBackwardHoldsBetweenTheHalvesWhatTheWeightHalfNeeds) {
  Program program = program_of({}, {layer(100, 10)},
                               {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0},
                                                        {Pass::input_grad, 0, 0},
                                                        {Pass::forward, 0, 1},
                                                        {Pass::input_grad, 0, 1},
                                                        {Pass::weight_grad, 0, 0},
                                                        {Pass::weight_grad, 0, 1}})});
  program.parts[0].split_backward_tensors = {{"input", 40}, {"output", 20}};
  EXPECT_EQ(bytes_of(only_role(program).samples),
            (std::vector<std::int64_t>{210, 210, 120 + 210, 120 + 210, 240, 120}));
  program.parts[0].split_backward_tensors = {{"input", 130}};
  const RoleMemory memory = only_role(program);
  EXPECT_EQ(bytes_of(memory.samples),
            (std::vector<std::int64_t>{210, 270, 260 + 210, 260 + 270, 520, 260}));
  EXPECT_EQ(memory.at_peak[0].name, "layer.stored for the weight half, 2 layers x 2 microbatches");
}

// … and what layers share, until the weight half is over.
TEST(Memory, SplitBackwardHoldsWhatIsSharedUntilTheWeightHalf) {
  Program program = program_of({}, {layer(100)},
                               {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0},
                                                        {Pass::input_grad, 0, 0},
                                                        {Pass::forward, 0, 1},
                                                        {Pass::weight_grad, 0, 0}})});
  program.parts[0].split_backward_tensors = {{"input", 60}};
  program.parts[0].shared = {"source", 7};
  EXPECT_EQ(bytes_of(only_role(program).samples),
            (std::vector<std::int64_t>{207, 207, 127 + 207, 127 + 207}));
}

TEST(Memory, NamesWhatIsAliveLargestFirst) {
  Part part = layer(0);
  part.retained = {{"scores", 50}, {"layer.input", 15}, {"nothing", 0}, {"layer.input", 5}};
  part.weights.dense = 10;
  const Program program = program_of({}, {part},
                                     {role_of({{{0, 3, 0}}}, {{Pass::forward, 0, 0},
                                                              {Pass::forward, 0, 1},
                                                              {Pass::backward, 0, 0},
                                                              {Pass::backward, 0, 1}})});
  const RoleMemory memory = only_role(program, {.fragmentation = 0.1});
  ASSERT_EQ(memory.at_peak.size(), 5u);
  EXPECT_EQ(memory.at_peak[0].name, "layer, 3 layers");
  EXPECT_EQ(memory.at_peak[0].kind, MemoryKind::optimizer);
  EXPECT_EQ(memory.at_peak[0].bytes, 3 * 10 * 12);
  EXPECT_EQ(memory.at_peak[1].name, "layer.scores, 3 layers x 2 microbatches");
  EXPECT_EQ(memory.at_peak[1].bytes, 300);
  EXPECT_EQ(memory.at_peak[3].name, "layer.input, 3 layers x 2 microbatches");
  EXPECT_EQ(memory.at_peak[3].bytes, 120);  // both, behind as many bytes of gradients
  EXPECT_EQ(memory.fragmentation, 42);      // of what comes and goes, beyond the peak
  EXPECT_EQ(memory.reserved(), memory.peak + 42);
}

TEST(Memory, NamesEveryKind) {
  EXPECT_EQ(name(MemoryKind::weights), "weights");
  EXPECT_EQ(name(MemoryKind::gradients), "gradients");
  EXPECT_EQ(name(MemoryKind::optimizer), "optimizer");
  EXPECT_EQ(name(MemoryKind::activations), "activations");
  EXPECT_EQ(name(MemoryKind::working), "working");
  EXPECT_EQ(name(MemoryKind::communication), "communication");
  EXPECT_EQ(name(MemoryKind::workspace), "workspace");
  EXPECT_EQ(name(MemoryKind::fragmentation), "fragmentation");
  EXPECT_EQ(name(MemoryKind::context), "context");
  EXPECT_EQ(name(MemoryKind::communicators), "communicators");
}

Program weighty(Spec spec, std::uint32_t layers = 4) {
  Weights weights;
  weights.dense = 1000;
  spec.parallel.dp = 10;
  spec.parallel.bucket = Bytes(1);
  return program_of(spec, {layer(0, 0, weights)},
                    {role_of({{{0, layers, 0}}}, {{Pass::forward, 0, 0}, {Pass::backward, 0, 0}})});
}

// FSDP gathers a layer and those fetched ahead; backward it holds a layer's gradients and, when
// reductions overlap, those of the layer before.
TEST(Memory, ShardedLayersAreWholeWhileTheyRun) {
  Spec spec;
  spec.parallel.sharding = Sharding::zero3;
  spec.parallel.prefetch = 2;
  const RoleMemory memory = only_role(weighty(spec));
  EXPECT_EQ(memory.weights, 4 * 100 * 2);
  EXPECT_EQ(memory.samples[0].communication, 3 * 1000 * 2);
  EXPECT_EQ(memory.samples[1].communication, 3 * 1000 * 2 + 2 * 1000 * 4);
  EXPECT_EQ(memory.communication, memory.samples[1].communication);

  spec.parallel.prefetch = 0;
  spec.parallel.overlap_gradients = false;
  EXPECT_EQ(only_role(weighty(spec)).communication, 1000 * 2 + 1000 * 4);
}

TEST(Memory, NoMoreIsFetchedAheadThanThereIs) {
  Spec spec;
  spec.parallel.sharding = Sharding::zero3;
  spec.parallel.prefetch = 8;
  EXPECT_EQ(only_role(weighty(spec)).samples[0].communication, 4 * 1000 * 2);
}

TEST(Memory, WeightsThatStayWholeAreThereAllAlong) {
  Spec spec;
  spec.parallel.sharding = Sharding::zero3;
  spec.parallel.keep_gathered = true;
  spec.parallel.overlap_gradients = false;
  const RoleMemory memory = only_role(weighty(spec));
  EXPECT_EQ(memory.samples[0].communication, 4 * 1000 * 2);
  EXPECT_EQ(memory.samples[1].communication, 4 * 1000 * 2 + 1000 * 4);
}

// … until the last input half: weight halves need no weights.
TEST(Memory, WeightsGoWhenOnlyWeightHalvesAreLeft) {
  Spec spec;
  spec.parallel.sharding = Sharding::zero3;
  spec.parallel.keep_gathered = true;
  Program program = weighty(spec, 1);
  program.roles[0] = role_of({{{0, 1, 0}}}, {{Pass::forward, 0, 0},
                                             {Pass::forward, 0, 1},
                                             {Pass::input_grad, 0, 0},
                                             {Pass::input_grad, 0, 1},
                                             {Pass::weight_grad, 0, 0},
                                             {Pass::weight_grad, 0, 1}});
  std::vector<std::int64_t> communication;
  for (const MemorySample& sample : only_role(program).samples)
    communication.push_back(sample.communication);
  EXPECT_EQ(communication, (std::vector<std::int64_t>{2000, 2000, 2000, 2000, 4000, 4000}));
}

// A bucket is full once the layer is done with which it gets there.
TEST(Memory, Zero2FillsOneBucketWhileAnotherIsReduced) {
  Spec spec;
  spec.parallel.sharding = Sharding::zero2;
  EXPECT_EQ(only_role(weighty(spec)).communication, 2 * 1000 * 4);
  EXPECT_EQ(only_role(weighty(spec, 1)).communication, 1000 * 4);  // there is only one
  Program large = weighty(spec);
  large.spec.parallel.bucket = Bytes(6000);
  EXPECT_EQ(only_role(large).communication, 2 * 8000);
  large.spec.parallel.overlap_gradients = false;
  EXPECT_EQ(only_role(large).communication, 8000);
  large.spec.parallel.bucket = Bytes(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(only_role(large).communication, 4 * 1000 * 4);
}

// A single rank: nothing is gathered, nothing sent.
TEST(Memory, OneRankNeedsNoBuckets) {
  for (const Sharding sharding : {Sharding::zero2, Sharding::zero3}) {
    Spec spec;
    spec.parallel.sharding = sharding;
    Program program = weighty(spec);
    program.spec.parallel.dp = 1;
    program.mesh = Mesh(program.spec);
    const RoleMemory memory = only_role(program);
    EXPECT_EQ(memory.peak, 4 * 1000 * 18);
  }
}

TEST(Memory, WholeGradientsAreReducedInPlaceUnlessTheirTypeChanges) {
  Spec spec;
  EXPECT_EQ(only_role(weighty(spec)).communication, 0);
  spec.precision.reduce = Dtype::bf16;
  EXPECT_EQ(only_role(weighty(spec)).communication, 2 * 1000 * 2);
}

Program messaging(bool overlap) {
  Spec spec;
  spec.schedule.overlap = overlap;
  Program program = program_of(spec, {layer(100)},
                               {role_of({{{0, 1, 0}}}, {{Pass::forward, 0, 0},
                                                        {Pass::forward, 0, 1},
                                                        {Pass::backward, 0, 0},
                                                        {Pass::backward, 0, 1}})});
  Op receive, send;
  receive.kind = graph::NodeKind::recv;
  send.kind = graph::NodeKind::send;
  receive.axis = send.axis = Axis::pp;
  receive.size = 7;
  send.size = 3;
  Op ring = send;  // ring attention's messages belong to the layer
  ring.axis = Axis::cp;
  program.bodies = {{"forward", {receive, ring, send}}, {"backward", {}}};
  program.roles[0].recipes = {{{0}}, {{1}}};
  for (std::size_t i = 2; i < 4; ++i) program.roles[0].tasks[i].tasks[0].recipe = 1;
  return program;
}

TEST(Memory, MessagesArriveForTheNextTaskAndLeaveFromTheLast) {
  const RoleMemory memory = only_role(messaging(true));
  std::vector<std::int64_t> messages;
  for (const MemorySample& sample : memory.samples) messages.push_back(sample.communication);
  EXPECT_EQ(messages, (std::vector<std::int64_t>{7, 3, 3, 0}));
  EXPECT_EQ(only_role(messaging(false)).communication, 0);
}

// What a backward pass computes again is there while it is at that layer; what the weight half
// needs of it, until then.
Program recomputing(bool split) {
  Part part = layer(100, 10);
  part.working_tensors.push_back({"scores", 1000});
  part.split_backward_tensors.push_back({"scores", 1000});
  if (!split) {
    return program_of({}, {part},
                      {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0}, {Pass::backward, 0, 0}})});
  }
  return program_of({}, {part},
                    {role_of({{{0, 2, 0}}}, {{Pass::forward, 0, 0},
                                             {Pass::input_grad, 0, 0},
                                             {Pass::forward, 0, 1},
                                             {Pass::weight_grad, 0, 0}})});
}

TEST(Memory, RecomputedActivationsAreThereForOneLayer) {
  const RoleMemory memory = only_role(recomputing(false));
  EXPECT_EQ(bytes_of(memory.samples), (std::vector<std::int64_t>{210, 1210}));
  EXPECT_EQ(memory.working, 1010);
  EXPECT_EQ(memory.at_peak[0].name, "layer.scores, recomputed");
}

TEST(Memory, RecomputedActivationsWaitForTheWeightHalf) {
  const RoleMemory memory = only_role(recomputing(true));
  EXPECT_EQ(bytes_of(memory.samples),
            (std::vector<std::int64_t>{210, 2210, 200 + 2000 + 210, 200 + 2000 + 200}));
}

// With sequence parallelism the weight half gathers inputs over tp, one at a time.
TEST(Memory, WeightHalvesGatherOneInputAtATime) {
  Program program = recomputing(true);
  program.parts[0] = layer(100);
  program.spec.parallel.tp = 4;
  program.mesh = Mesh(program.spec);
  Op gather;
  gather.kind = graph::NodeKind::coll;
  gather.phase = Phase::weight_grad;
  gather.axis = Axis::tp;
  gather.collective = graph::CollectiveType::all_gather;
  gather.size = 5;
  Op smaller = gather;
  smaller.size = 3;
  program.bodies = {{"layer.weight_grad", {gather, smaller}}};
  program.roles[0].recipes = {{}, {{0, 2}}};
  program.roles[0].tasks[3].tasks[0].recipe = 1;
  const RoleMemory memory = only_role(program);
  EXPECT_EQ(bytes_of(memory.samples), (std::vector<std::int64_t>{200, 200, 400, 420}));
  EXPECT_EQ(memory.working, 20);
}

TEST(Memory, TheStepHoldsNoActivations) {
  Program program = weighty({});
  program.parts[0].retained = {{"input", 10}};
  program.roles[0].tasks.push_back({{{TaskKind::step, 0, 0, 0}}, 1, 0});
  const RoleMemory memory = only_role(program);
  ASSERT_EQ(memory.samples.size(), 3u);
  EXPECT_EQ(memory.samples[2].bytes, 4 * 1000 * 18);
  EXPECT_EQ(memory.peak, 4 * 1000 * 18 + 40);
}

TEST(Memory, LoopsAreUnrolled) {
  Program program = program_of({}, {layer(100)}, {role_of({{{0, 1, 0}}}, {})});
  program.roles[0].tasks = {{{{TaskKind::forward, 0, 0, 0}}, 3, 1},
                            {{{TaskKind::backward, 0, 0, 0}, {TaskKind::forward, 0, 0, 3}}, 2, 1},
                            {{{TaskKind::backward, 0, 0, 2}}, 3, 1}};
  const RoleMemory memory = only_role(program);
  EXPECT_EQ(bytes_of(memory.samples),
            (std::vector<std::int64_t>{100, 200, 300, 300, 300, 300, 300, 300, 200, 100}));
  EXPECT_EQ(memory.samples[6].microbatch, 4u);
  EXPECT_EQ(memory.samples[6].task, 6u);
}

TEST(Memory, SamplesCanBeLeftOut) {
  const RoleMemory memory = only_role(weighty({}), {.fragmentation = 0, .details = false});
  EXPECT_TRUE(memory.samples.empty());
  EXPECT_EQ(memory.peak, 4 * 1000 * 18);
}

TEST(Memory, TheWorstRoleIsTheFirstLargest) {
  Program program = program_of({}, {layer(100)}, {});
  for (const std::uint32_t layers : {1u, 3u, 3u}) {
    program.roles.push_back(
        role_of({{{0, layers, 0}}}, {{Pass::forward, 0, 0}, {Pass::backward, 0, 0}}));
  }
  const auto report = account_memory(program, kExact);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->worst, 1u);
}

TEST(Memory, RolesWithoutRanksHoldNothing) {
  Program program = weighty({});
  program.roles.push_back(role_of({{{0, 100, 0}}}, {}));
  program.roles[1].ranks = 0;
  const auto report = account_memory(program, kExact);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->worst, 0u);
  EXPECT_EQ(report->roles[1].peak, 0);
}

TEST(Memory, RefusesWhatNoAddressReaches) {
  const std::int64_t huge = std::int64_t{1} << 61;
  const Program program =
      program_of({}, {layer(huge)}, {role_of({{{0, 65536, 0}}}, {{Pass::forward, 0, 0}})});
  const auto report = account_memory(program, kExact);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, Errc::config_range);
}

TEST(Memory, RefusesAnAllowanceThatIsNoFraction) {
  for (const double fraction : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    const auto report = account_memory(weighty({}), {.fragmentation = fraction});
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().code, Errc::config_range);
  }
}

}  // namespace
}  // namespace orrery::workload
