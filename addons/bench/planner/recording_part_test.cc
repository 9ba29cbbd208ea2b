// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/recording_part.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"
#include "addons/bench/recording/recorded_layers.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BenchPart, IsSaidInAWord) {
  EXPECT_EQ(parse_part("")->kind, RecordingPart::Kind::all);
  EXPECT_EQ(parse_part("scope=a=b")->scope, "a=b");
  const RecordingPart one = *parse_part("layer=3"), several = *parse_part("layers=0-11");
  EXPECT_EQ(one.kind, RecordingPart::Kind::layers);
  EXPECT_EQ(one.first, 3u);
  EXPECT_EQ(one.last, 3u);
  EXPECT_EQ(several.last, 11u);
  EXPECT_EQ(parse_part("layers=2")->last, 2u);
  EXPECT_EQ(parse_part("fewer=4")->kind, RecordingPart::Kind::fewer);
  EXPECT_EQ(parse_part("fewer=4")->last, 4u);
  EXPECT_EQ(parse_part("microbatches=2")->kind, RecordingPart::Kind::microbatches);
  EXPECT_EQ(parse_part("microbatches=2")->last, 2u);
  const RecordingPart time = *parse_part("1.5ms-20ms");
  EXPECT_EQ(time.kind, RecordingPart::Kind::time);
  EXPECT_EQ(time.from, Time(1'500'000'000));
  EXPECT_EQ(time.to, Time(20'000'000'000));
  for (const char* text : {"scope=", "layer=", "layer=1-2", "layers=3-1", "layers=-1", "layers=a-b",
                           "fewer=", "fewer=1-2", "microbatches=", "microbatches=0-1", "10ms",
                           "20ms-10ms", "10-20", "layer=99999999999", "forward"}) {
    const auto part = parse_part(text);
    ASSERT_FALSE(part) << text;
    EXPECT_EQ(part.error().code, Errc::usage) << text;
  }
}

NodeLine add_node(int id, int in, int out, int parent = 2) {
  return {id,
          "aten::add.Tensor",
          kAddTensor,
          "[" + tensor(in, in, 32) + "," + tensor(900, 900, 32) + ",1]",
          "[[32],[32],[]]",
          R"j(["Tensor(float)","Tensor(float)","Int"])j",
          "[" + tensor(out, out, 32) + "]",
          "[[32]]",
          R"j(["Tensor(float)"])j",
          parent};
}

/// Three layers of relu and add between two lookups, and their backward passes under autograd.
std::vector<NodeLine> three_layers() {
  std::vector<NodeLine> nodes;
  const auto lookup = [&](int id, int out) {
    nodes.push_back(
        {id, "aten::embedding", kEmbedding,
         "[" + tensor(901, 901, 800) + "," + tensor(902, 902, 4, 0, 8) + ",-1,false,false]",
         "[[100,8],[4],[],[],[]]", R"j(["Tensor(float)","Tensor(long int)","Int","Bool","Bool"])j",
         "[" + tensor(out, out, 32) + "]", "[[4,8]]", R"j(["Tensor(float)"])j"});
  };
  int id = 10, now = 100;
  lookup(id++, now);
  for (int layer = 0; layer < 3; ++layer, now += 2) {
    nodes.push_back(relu_node(id++, now, now, now + 1, now + 1));
    nodes.push_back(add_node(id++, now + 1, now + 2));
  }
  lookup(id++, 200);
  for (int layer = 0; layer < 3; ++layer) {
    const int parent = id++;
    nodes.push_back({parent, "AddBackward0", ""});
    nodes.push_back(add_node(id++, 100 + 2 * (2 - layer), 300 + layer, parent));
    nodes.push_back(relu_node(id++, 300 + layer, 300 + layer, 400 + layer, 400 + layer, parent));
  }
  return nodes;
}

std::vector<std::string> names(const ReplayPlan& plan) {
  std::vector<std::string> all;
  for (const PlanSource& source : plan.sources) all.push_back(source.name);
  return all;
}

TEST(BenchPart, LayersAreWhatRepeatsForwardAndBackward) {
  PlanOptions options;
  options.select.part = *parse_part("layer=2");
  const auto plan = plan_of(three_layers(), few_operators(), options);
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_THAT(names(*plan),
              ElementsAre("aten::relu", "aten::add.Tensor", "aten::add.Tensor", "aten::relu"));
  // The last layer forward is the first backward, which reads what that layer began with.
  EXPECT_THAT(plan_text(*plan), HasSubstr("external %0 0 float [32] [] 0"));
  EXPECT_EQ(plan->externals.size(), 2u);
  options.select.part = *parse_part("layers=1-3");
  const auto beyond = plan_of(three_layers(), few_operators(), options);
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().what, HasSubstr("has layers 0-2"));
  options.select.part = *parse_part("layer=0");
  const auto none = plan_of({relu_node(5, 1, 1, 2, 2)}, few_operators(), options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::input_missing_attr);
}

// Something else was made at an address between two layers: it is not what the first one made.
TEST(BenchPart, WhatOtherPartsMadeExistsBefore) {
  std::vector<NodeLine> nodes = three_layers();
  PlanOptions options;
  options.select.part = *parse_part("layer=2");
  const auto direct = plan_of(nodes, few_operators(), options);
  // The lookup behind the layers takes the address of layer 2's input.
  nodes[7].outputs = "[" + tensor(104, 104, 32) + "]";
  nodes[7].output_shapes = "[[32]]";
  const auto remade = plan_of(nodes, few_operators(), options);
  ASSERT_TRUE(direct && remade);
  EXPECT_EQ(remade->externals.size(), direct->externals.size() + 1);
}

Result<ReplayPlan> at_times(std::string_view part, bool timed) {
  auto profile = profile_of(
      trace_text({relu_node(5, 1, 1, 2, 2), relu_node(6, 2, 2, 3, 3), relu_node(7, 3, 3, 4, 4)}));
  std::int64_t start = 5'000'000'000;
  for (profile::EventId e = 0; timed && e < profile->events.size(); ++e) {
    if (profile->name(e) != "aten::relu") continue;
    profile->events[e].start = Time(start);
    profile->events[e].duration = Time(1'000'000'000);
    profile->events[e].flags |= profile::kTimed;
    start += 2'000'000'000;
  }
  PlanOptions options;
  options.select.part = *parse_part(part);
  const FakeOperators operators = few_operators();
  return make_plan(*profile, operators, options);
}

TEST(BenchPart, TimesAreSinceTheFirst) {
  EXPECT_EQ(at_times("0ms-1ms", true)->sources.size(), 1u);
  EXPECT_EQ(at_times("0ms-5ms", true)->sources.size(), 3u);
  const auto middle = at_times("2ms-4ms", true);
  EXPECT_EQ(middle->sources.size(), 1u) << "the end does not belong to it";
  EXPECT_EQ(middle->externals.size(), 1u) << "what the first one made";
  const auto later = at_times("1s-2s", true);
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().what, HasSubstr("all operators last 5 ms"));
  EXPECT_EQ(at_times("0ms-1ms", false).error().code, Errc::input_missing_attr);
}

}  // namespace
}  // namespace orrery::bench
