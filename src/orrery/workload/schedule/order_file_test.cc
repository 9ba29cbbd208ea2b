// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload {
namespace {

using testing::HasSubstr;

Error refused(std::string_view text, std::uint32_t stages = 2, std::uint32_t microbatches = 2) {
  const Result<PipelineOrder> order = parse_order(text, "o.yaml", stages, microbatches);
  EXPECT_FALSE(order) << text;
  return order ? Error{} : order.error();
}

TEST(OrderFile, ReadsAnOrder) {
  const Result<PipelineOrder> order = parse_order(R"(
# anything may stand here
stages:
  - [F0, F1, B0, B1]
  - [F0, I0, F1, W0, B1]
)",
                                                  "o.yaml", 2, 2);
  ASSERT_TRUE(order) << to_string(order.error());
  EXPECT_EQ(order->chunks, 1u);
  EXPECT_THAT(order->slots(1),
              testing::ElementsAre(Slot{Pass::forward, 0, 0}, Slot{Pass::input_grad, 0, 0},
                                   Slot{Pass::forward, 0, 1}, Slot{Pass::weight_grad, 0, 0},
                                   Slot{Pass::backward, 0, 1}));
  EXPECT_EQ(pipeline_timeline(*order, {1, 1, 1}).end, 9);
}

TEST(OrderFile, WrittenOrdersReadTheSame) {
  for (const auto& [kind, chunks] :
       {std::pair{ScheduleKind::gpipe, 1u}, std::pair{ScheduleKind::one_f_one_b, 1u},
        std::pair{ScheduleKind::interleaved, 3u}, std::pair{ScheduleKind::zb_h1, 1u},
        std::pair{ScheduleKind::zb_v, 2u}, std::pair{ScheduleKind::dual_pipe, 2u}}) {
    const Result<PipelineOrder> order = pipeline_order(kind, 4, 12, chunks);
    ASSERT_TRUE(order);
    const std::string text = order_to_yaml(*order);
    const Result<PipelineOrder> again = parse_order(text, "o.yaml", 4, 12);
    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << text;
    for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(again->slots(s), order->slots(s));
    EXPECT_EQ(again->pipes.size(), order->pipes.size());
    EXPECT_EQ(order_to_yaml(*again), text);
    EXPECT_EQ(pipeline_timeline(*again, {2, 3, 1}).start,
              pipeline_timeline(*order, {2, 3, 1}).start)
        << "same places";
  }
}

TEST(OrderFile, BrokenOrdersAreRefusedWithStageAndSlot) {
  const struct {
    const char* stages;
    const char* where;
    const char* what;
  } cases[] = {
      // Stage 0 wants B0 before it has sent F1, stage 1 wants F1 before it does B0.
      {"[[F0, B0, F1, B1], [F0, F1, B0, B1]]", "o.yaml:/stages/0/1",
       "stage 0, slot 1: B0 never starts"},
      {"[[F0, F1, B0], [F0, B0, F1, B1]]", "o.yaml:/stages/0/3",
       "stage 0, slot 3: ends without B1"},
      {"[[F0, F1, B0, B1], [F0, B0, F1, I1]]", "o.yaml:/stages/1/4",
       "stage 1, slot 4: ends without W1"},
      {"[[F0, F1, B0, B1], []]", "o.yaml:/stages/1/0", "stage 1, slot 0: ends without F0"},
      {"[[F0, F1, F0, B0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/2",
       "stage 0, slot 2: F0 appears twice"},
      {"[[F0, F1, B0, I0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/3", "I0 appears twice"},
      {"[[F0, F1, B0, W0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/3", "W0 appears twice"},
      {"[[F0, F1, I0, B0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/3", "B0 appears twice"},
      {"[[F0, B1, F1, B0], [F0, B0, F1, B1]]", "o.yaml:/stages/0/1",
       "B1 comes before its forward pass"},
      {"[[F0, W0, F1, I0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/1",
       "W0 comes before its input half"},
      {"[[F0, F2, B0, B2], [F0, B0, F1, B1]]", "o.yaml:/stages/0/1",
       "has a microbatch that does not exist: microbatches are 0 to 1"},
      {"[[F0, F1.1, B0, B1], [F0, B0, F1, B1]]", "o.yaml:/stages/0/1",
       "has a chunk that does not exist"}};
  for (const auto& each : cases) {
    const Error error = refused(std::string("stages: ") + each.stages);
    EXPECT_EQ(error.code, Errc::config_conflict) << each.stages;
    EXPECT_EQ(error.where, each.where) << each.stages;
    EXPECT_THAT(error.what, HasSubstr(each.what)) << each.stages;
  }
}

TEST(OrderFile, DirectionsKeepTheirChunks) {
  const Error error = refused("{chunks: 2, placement: both_ways, stages: [[F0.1], [F0.1]]}");
  EXPECT_EQ(error.where, "o.yaml:/stages/0/0");
  EXPECT_THAT(error.what, HasSubstr("F0.1 has a chunk that its microbatch does not pass"));
}

TEST(OrderFile, BrokenFilesAreRefused) {
  const struct {
    const char* text;
    Errc code;
    const char* where;
  } cases[] = {
      {"[", Errc::config_syntax, "o.yaml"},
      {"3", Errc::config_type, "o.yaml:/"},
      {"{}", Errc::config_missing_key, "o.yaml:/stages"},
      {"{stage: []}", Errc::config_unknown_key, "o.yaml:/stage"},
      {"{stages: 4}", Errc::config_type, "o.yaml:/stages"},
      {"{stages: [[F0]]}", Errc::config_conflict, "o.yaml:/stages"},
      {"{stages: [F0, F0]}", Errc::config_type, "o.yaml:/stages/0"},
      {"{stages: [[F0, 1], [F0]]}", Errc::config_type, "o.yaml:/stages/0/1"},
      {"{stages: [[F0, G0], []]}", Errc::config_range, "o.yaml:/stages/0/1"},
      {"{stages: [[F], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [['F 0'], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [['F-1'], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [[F4294967296], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [[F0.65536], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [[F0.], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [[F0.1x], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{stages: [[''], []]}", Errc::config_range, "o.yaml:/stages/0/0"},
      {"{chunks: 0, stages: [[], []]}", Errc::config_range, "o.yaml:/chunks"},
      {"{chunks: -1, stages: [[], []]}", Errc::config_range, "o.yaml:/chunks"},
      {"{chunks: 49, stages: [[], []]}", Errc::config_range, "o.yaml:/chunks"},
      {"{chunks: two, stages: [[], []]}", Errc::config_type, "o.yaml:/chunks"},
      {"{placement: w, stages: [[], []]}", Errc::config_range, "o.yaml:/placement"},
      {"{placement: 1, stages: [[], []]}", Errc::config_type, "o.yaml:/placement"},
      {"{placement: both_ways, stages: [[], []]}", Errc::config_conflict, "o.yaml:/placement"}};
  for (const auto& each : cases) {
    const Error error = refused(each.text);
    EXPECT_EQ(error.code, each.code) << each.text << ": " << to_string(error);
    EXPECT_THAT(error.where, testing::StartsWith(each.where)) << each.text;
  }
  EXPECT_EQ(refused("{stages: []}", 1u << 24, 1u << 30).code, Errc::limit_exceeded);
}

TEST(OrderFile, MicrobatchesThatAreNotThereCostNothing) {
  // An order of two stages and few passes for a job of very many microbatches.
  EXPECT_THAT(refused("{stages: [[F0], [F0]]}", 2, 2'000'000).what, HasSubstr("ends without B0"));
}

}  // namespace
}  // namespace orrery::workload
