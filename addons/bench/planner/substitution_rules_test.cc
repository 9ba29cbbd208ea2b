// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/operators/substitution_rules.h"

#include <gmock/gmock.h>

#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"
#include "addons/bench/recording/name_pattern.h"

namespace orrery::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

RecordedValue floats(std::uint64_t id, std::vector<std::int64_t> sizes,
                     Dtype dtype = Dtype::real32) {
  RecordedTensor made;
  made.id = id;
  made.storage = id + 1000;
  made.spec = {dtype, std::move(sizes), {}, 0};
  return RecordedValue::of(made);
}

RecordedValue whole(std::int64_t number) { return RecordedValue::of(number); }

std::optional<std::vector<SubstitutePart>> apply(const Call& call) {
  RuleContext context;
  for (const SubstitutionRule& rule : rules()) {
    if (!matches(rule.pattern, call.name)) continue;
    if (auto parts = rule.apply(call, context)) return parts;
  }
  return std::nullopt;
}

Call call_of(std::string name, std::vector<RecordedValue> arguments,
             std::vector<RecordedValue> results) {
  Call call;
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  call.results = std::move(results);
  return call;
}

TEST(BenchRules, EveryRuleHasANameAndSaysWhatItDoes) {
  for (const SubstitutionRule& rule : rules()) {
    EXPECT_FALSE(rule.name.empty() || rule.description.empty() || rule.apply == nullptr);
    EXPECT_THAT(std::string(rule.pattern), HasSubstr("::"));
  }
}

TEST(BenchRules, BatchNormOfLibrariesIsTheNativeOne) {
  const auto forward = apply(call_of(
      "aten::cudnn_batch_norm",
      {floats(1, {2, 3, 4, 4}), floats(2, {3}), floats(3, {3}), floats(4, {3}), floats(5, {3}),
       RecordedValue::of(true), RecordedValue::of(0.1), RecordedValue::of(1e-5)},
      {floats(6, {2, 3, 4, 4}), floats(7, {3}), floats(8, {3}), floats(9, {0}, Dtype::byte)}));
  ASSERT_TRUE(forward);
  ASSERT_THAT(*forward, SizeIs(2));
  EXPECT_EQ((*forward)[0].call.name, "aten::native_batch_norm");
  EXPECT_THAT((*forward)[0].call.results, SizeIs(3));
  EXPECT_EQ((*forward)[1].kind, SubstitutePart::Kind::absent) << "cuDNN's reserve";
  const auto backward = apply(call_of(
      "aten::cudnn_batch_norm_backward",
      {floats(1, {2, 3, 4, 4}), floats(6, {2, 3, 4, 4}), floats(2, {3}), floats(4, {3}),
       floats(5, {3}), floats(7, {3}), floats(8, {3}), RecordedValue::of(1e-5), floats(9, {0})},
      {floats(10, {2, 3, 4, 4}), floats(11, {3}), floats(12, {3})}));
  ASSERT_TRUE(backward);
  const Call& native = backward->front().call;
  EXPECT_EQ(native.name, "aten::native_batch_norm_backward");
  ASSERT_THAT(native.arguments, SizeIs(10));
  EXPECT_EQ(native.arguments[0].tensor.id, 6u) << "the gradient comes first";
  EXPECT_EQ(native.arguments[1].tensor.id, 1u);
}

TEST(BenchRules, ForeachIsOneForEach) {
  Call call = call_of(
      "aten::_foreach_lerp_",
      {RecordedValue::of(std::vector{floats(1, {2}), floats(2, {3})}),
       RecordedValue::of(std::vector{floats(3, {2}), floats(4, {3})}), RecordedValue::of(0.1)},
      {});
  call.names = {"self", "tensors1", "weight"};
  const auto parts = apply(call);
  ASSERT_TRUE(parts);
  ASSERT_THAT(*parts, SizeIs(2));
  EXPECT_EQ((*parts)[1].call.name, "aten::lerp_");
  EXPECT_EQ((*parts)[1].call.arguments[1].tensor.id, 4u);
  EXPECT_EQ((*parts)[1].call.arguments[2].real, 0.1);
  call.arguments[1].items.pop_back();
  EXPECT_FALSE(apply(call)) << "lists of different lengths";
}

TEST(BenchRules, StreamsAreLeftOutAndPinnedMemoryIsCopied) {
  EXPECT_THAT(*apply(call_of("aten::record_stream", {floats(1, {2})}, {})), SizeIs(0));
  const auto pinned = apply(call_of("aten::pin_memory", {floats(1, {2})}, {floats(2, {2})}));
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned->front().call.name, "aten::clone");
}

TEST(BenchRules, TablesOfFbgemmAreOneTable) {
  Call call = call_of("fbgemm::split_embedding_codegen_lookup_adagrad_function",
                      {floats(1, {160}), whole(16), floats(2, {12}, Dtype::int64),
                       floats(3, {9}, Dtype::int64), whole(0)},
                      {floats(4, {4, 32})});
  call.names = {"dev_weights", "max_D", "indices", "offsets", "pooling_mode"};
  const auto parts = apply(call);
  ASSERT_TRUE(parts);
  ASSERT_THAT(*parts, SizeIs(3));
  EXPECT_EQ((*parts)[0].call.results[0].tensor.spec.sizes, (std::vector<std::int64_t>{10, 16}));
  EXPECT_EQ((*parts)[1].call.name, "aten::embedding_bag");
  EXPECT_EQ((*parts)[1].call.results[0].tensor.spec.sizes, (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ((*parts)[2].call.name, "aten::reshape");
  // Rows of different lengths: only the same bytes.
  call.results[0].tensor.spec.sizes = {4, 30};
  const auto other = apply(call);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->front().kind, SubstitutePart::Kind::stand_in);
}

TEST(BenchRules, FusedKernelsReadWriteAndCalculateAsMuch) {
  const SubstitutePart substitute_part = triton_stand_in(
      "triton_poi_fused_add_cos_neg_sin_0", {floats(1, {4, 4}), floats(2, {4, 4}), whole(16)});
  EXPECT_EQ(substitute_part.kind, SubstitutePart::Kind::stand_in);
  EXPECT_EQ(substitute_part.flops, 4 * 16) << "add, cos, neg, sin";
  EXPECT_THAT(substitute_part.call.arguments, SizeIs(1));
  EXPECT_THAT(substitute_part.written, SizeIs(1));
  EXPECT_EQ(triton_stand_in("triton_tem_fused_mm_1",
                            {floats(1, {8, 4}), floats(2, {4, 2}), floats(3, {8, 2})})
                .flops,
            2 * 8 * 4 * 2);
}

TEST(BenchRules, APlanSaysWhichRuleItFollowed) {
  const NodeLine pin{5,
                     "aten::pin_memory",
                     "aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)",
                     "[" + tensor(1, 2, 8) + R"(,"<None>"])",
                     "[[8],[]]",
                     R"j(["Tensor(float)","None"])j",
                     "[" + tensor(3, 4, 8) + "]",
                     "[[8]]",
                     R"j(["Tensor(float)"])j"};
  const FakeOperators operators(
      {{"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", true, false},
       {"aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)", true, true}});
  const auto plan = plan_of({pin}, operators);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->sources[0].how, ReplayMethod::rule);
  EXPECT_EQ(plan->sources[0].rule, "pinned");
  EXPECT_THAT(plan->operations, ElementsAre("aten::clone"));
  EXPECT_THAT(plan_text(*plan), HasSubstr("call 0 (%0, _) -> 0 %1 float [8] []"));
}

}  // namespace
}  // namespace orrery::bench
