// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/operators/tape.h"

#include <gtest/gtest.h>

#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<Op>& ops) {
  Names names;
  for (const Op& op : ops)
    names.push_back(op.phase == Phase::recompute ? std::string(op.name) + " again" : op.name);
  return names;
}

/// Three operators in a row, a to c, of the groups norm, qkv, qkv; each keeps its input of 10
/// bytes.
class TapeTest : public testing::Test {
 protected:
  Spec spec_;

  [[nodiscard]] Scope scope() const { return {spec_, mesh_, Position{}, 16}; }

  LoweredPart three(const Scope& scope, bool is_layer = true) {
    Tape tape(scope, "three", is_layer);
    Tensor x = tape.input("in", 10);
    const Group groups[] = {Group::norm, Group::qkv, Group::qkv};
    const OpName names[] = {ORRERY_OP("a"), ORRERY_OP("b"), ORRERY_OP("c")};
    for (int i = 0; i < 3; ++i) {
      tape.begin(groups[i], {x});
      tape.save(x);
      tape.forward(compute_op(names[i].forward, OpClass::matmul, Phase::forward, 1, 0, 0));
      tape.backward(compute_op(names[i].dgrad, OpClass::matmul, Phase::input_grad, 2, 0, 0));
      x = tape.output(names[i].forward, 10);
    }
    Result<LoweredPart> part = tape.finish({x});
    EXPECT_TRUE(part.has_value());
    return *part;
  }

 private:
  Mesh mesh_;
};

TEST_F(TapeTest, TurnsTheOrderAround) {
  const LoweredPart part = three(scope());
  EXPECT_EQ(names_of(part.forward), (Names{"a", "b", "c"}));
  EXPECT_EQ(names_of(part.backward), (Names{"c.dgrad", "b.dgrad", "a.dgrad"}));
  EXPECT_EQ(bytes_of(part.part.retained), 30);
  EXPECT_EQ(part.part.boundary, 10);
}

TEST_F(TapeTest, RepeatsALayerFromItsInput) {
  spec_.recompute.kind = RecomputeKind::full;
  const LoweredPart part = three(scope());
  EXPECT_EQ(names_of(part.backward),
            (Names{"a again", "b again", "c again", "c.dgrad", "b.dgrad", "a.dgrad"}));
  EXPECT_EQ(bytes_of(part.part.retained), 10);
  EXPECT_EQ(names_of(three(scope(), false).backward), (Names{"c.dgrad", "b.dgrad", "a.dgrad"}));
}

// c's input was made by b: b and c, of one group, run again, from a's result, which is kept.
TEST_F(TapeTest, RepeatsAGroupAsAWhole) {
  spec_.recompute = {RecomputeKind::ops, {"qkv"}};
  const LoweredPart part = three(scope());
  EXPECT_EQ(names_of(part.backward),
            (Names{"b again", "c again", "c.dgrad", "b.dgrad", "a.dgrad"}));
  EXPECT_EQ(bytes_of(part.part.retained), 20);
}

// When needed, not before.
TEST_F(TapeTest, RepeatsLate) {
  spec_.recompute = {RecomputeKind::ops, {"norm"}};
  EXPECT_EQ(names_of(three(scope()).backward), (Names{"c.dgrad", "a again", "b.dgrad", "a.dgrad"}));
}

// What is not kept for the second is computed again for the first that needs it.
TEST_F(TapeTest, RepeatsInTurn) {
  spec_.recompute = {RecomputeKind::ops, {"norm", "qkv"}};
  const LoweredPart part = three(scope());
  EXPECT_EQ(names_of(part.backward),
            (Names{"a again", "b again", "c again", "c.dgrad", "b.dgrad", "a.dgrad"}));
  EXPECT_EQ(bytes_of(part.part.retained), 10);
}

// Tensors that only a recomputation reads are not saved unless there is one.
TEST_F(TapeTest, KeepsWhatARepetitionStartsFrom) {
  for (const bool is_recomputed : {false, true}) {
    spec_.recompute = {is_recomputed ? RecomputeKind::ops : RecomputeKind::none, {"qkv"}};
    const Scope scope = this->scope();
    Tape tape(scope, "part", true);
    tape.begin(Group::none, {});
    const Tensor x = tape.output("x", 7);
    tape.begin(Group::qkv, {x});
    const Tensor y = tape.output("y", 100);
    tape.begin(Group::none, {y});
    tape.save(y);
    const Result<LoweredPart> part = tape.finish({y});
    ASSERT_TRUE(part.has_value());
    EXPECT_EQ(bytes_of(part->part.retained), is_recomputed ? 7 : 100);
  }
}

// A loss: logits of 100 bytes become probabilities of 200, which are kept and have no gradient.
// Only the logits work, forward, and their gradient in their place, backward.
TEST_F(TapeTest, CountsWhatIsKeptOnce) {
  const Scope scope = this->scope();
  Tape tape(scope, "loss", false);
  tape.begin(Group::none, {});
  const Tensor logits = tape.output("logits", 100);
  tape.begin(Group::none, {logits});
  tape.save("probabilities", 200);
  const Result<LoweredPart> part = tape.finish({});
  ASSERT_TRUE(part.has_value());
  EXPECT_EQ(bytes_of(part->part.retained), 200);
  EXPECT_EQ(bytes_of(part->part.working_tensors), 100);
}

// What an operator keeps has a gradient as large while its backward pass runs.
TEST_F(TapeTest, CountsGradientsOfWhatIsKept) {
  const LoweredPart retained = three(scope());
  EXPECT_EQ(bytes_of(retained.part.working_tensors), 10 + 10);
  spec_.recompute.kind = RecomputeKind::full;
  // Two inputs computed again, and the gradients of one operator's input and output.
  EXPECT_EQ(bytes_of(three(scope()).part.working_tensors), 20 + 10 + 10);
}

TEST_F(TapeTest, WaitsForWhatWasJoined) {
  spec_.parallel.tp = 2;
  const Scope scope = this->scope();
  Tape tape(scope, "part", true);
  const Tensor x = tape.input("in", 10);
  tape.begin(Group::none, {x});
  tape.forward(compute_op("one", OpClass::vector, Phase::forward, 0, 1, 1));
  tape.forward(collective_op("sum", Phase::forward, graph::CollectiveType::all_reduce, Axis::tp,
                             stream::tp, 5));
  tape.join_forward(stream::tp);
  const Result<LoweredPart> part = tape.finish({x});
  ASSERT_TRUE(part.has_value());
  // The result is computed even when nothing is left to compute.
  ASSERT_EQ(names_of(part->forward), (Names{"one", "sum", "join"}));
  EXPECT_TRUE(waits_for(part->forward[1], stream::compute));
  EXPECT_TRUE(waits_for(part->forward[2], stream::tp));
}

// Errc::config_range: nothing wraps around.
TEST_F(TapeTest, RefusesWhatIsTooLarge) {
  const Amount most = Amount(std::int64_t{1} << 62);
  for (const Amount amount : {most, most + 1, most * most, most * most / 1000000}) {
    const Scope scope = this->scope();
    Tape tape(scope, "part", false);
    tape.begin(Group::none, {});
    tape.forward(compute_op("big", OpClass::matmul, Phase::forward, amount, 0, 0));
    const Result<LoweredPart> part = tape.finish({});
    EXPECT_EQ(part.has_value(), amount == most);
    if (!part) {
      EXPECT_EQ(part.error().code, Errc::config_range);
    }
  }
}

TEST(Amount, StaysTooLarge) {
  const Amount most = Amount::too_large;
  EXPECT_EQ((most + 1).value(), Amount::too_large);
  EXPECT_EQ((most * 3 / 7 - 5).value(), Amount::too_large);
  EXPECT_EQ((most * 0).value(), 0);
  EXPECT_EQ((Amount(3) - 5).value(), 0);
  EXPECT_EQ(ceil_div(7, 2).value(), 4);
  EXPECT_EQ(bytes(3, Dtype::fp4).value(), 2);
  EXPECT_EQ(bytes(3, Dtype::bf16).value(), 6);
}

}  // namespace
}  // namespace orrery::workload
