// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/workload/program/program.h"

namespace orrery::workload {
namespace {

using graph::NodeKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Op compute(const char* name) {
  Op op;
  op.name = name;
  op.op_class = OpClass::matmul;
  op.matmul = 100;
  op.vector = 7;
  op.bytes = 30;
  return op;
}

Op communicate(const char* name, Stream on,
               std::array<Stream, 4> waits = {stream::compute, stream::none, stream::none,
                                              stream::none}) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.kind = NodeKind::coll;
  op.stream = on;
  op.waits = waits;
  op.axis = Axis::tp;
  op.size = 64;
  return op;
}

Op message(NodeKind kind, Axis axis, std::int32_t shift, std::uint32_t edge = 0) {
  Op op = communicate(kind == NodeKind::send ? "send" : "recv", stream::other);
  op.kind = kind;
  op.axis = axis;
  op.peer_offset = shift;
  op.message_id = edge;
  return op;
}

Op waiting(Op op, std::array<Stream, 4> waits) {
  op.waits = waits;
  return op;
}

/// tp 2, cp 4, dp 1, pp 3: strides 1, 2, 8, 8.
Program program_of_bodies(std::vector<std::vector<Op>> bodies) {
  Program program;
  program.spec.parallel.tp = 2;
  program.spec.parallel.cp = 4;
  program.spec.parallel.pp = 3;
  program.mesh = Mesh(program.spec);
  for (std::vector<Op>& ops : bodies) program.bodies.push_back({"body", std::move(ops)});
  Role& role = program.roles.emplace_back();
  role.recipes = {{Segment{}}};
  role.tasks = {TaskLoop{{Task{}}, 1, 0}};
  return program;
}

struct Node {
  graph::NodeSpec spec;
  std::string name;
};

std::vector<Node> nodes_of(const Program& program) {
  std::vector<Node> nodes;
  StringPool pool;
  graph::KernelTable kernels;
  const auto done =
      unroll(program, 0, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
        EXPECT_EQ(node.id, nodes.size());
        nodes.push_back({node, std::string(pool.view(node.name))});
        return {};
      });
  EXPECT_TRUE(done);
  EXPECT_EQ(nodes.size(), node_count(program, 0));
  return nodes;
}

std::vector<std::string> names_of(const std::vector<Node>& nodes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) names.push_back(node.name);
  return names;
}

TEST(Unroll, RunsLoopsOverMicrobatchesAndLayers) {
  Program program =
      program_of_bodies({{compute("a"), compute("b")}, {compute("c")}, {compute("step")}});
  program.roles[0].recipes = {{Segment{0, 2, 4, 3}, Segment{1, 1, -1, 1}}, {Segment{2, 1, -1, 1}}};
  program.roles[0].tasks = {TaskLoop{{Task{TaskKind::forward, 0, 0, 1}}, 2, 5},
                            TaskLoop{{Task{TaskKind::step, 0, 1, 0}}, 1, 0}};
  EXPECT_THAT(names_of(nodes_of(program)),
              ElementsAre("a L4 mb1", "b L4 mb1", "a L7 mb1", "b L7 mb1", "c mb1", "a L4 mb6",
                          "b L4 mb6", "a L7 mb6", "b L7 mb6", "c mb6", "step"));
}

TEST(Unroll, AStreamRunsInOrderAndWaitsForTheLatestOfOthers) {
  const auto nodes = nodes_of(program_of_bodies(
      {{compute("0"), communicate("1", stream::tp), compute("2"), communicate("3", stream::tp),
        waiting(compute("4"), {stream::tp, stream::cp, stream::tp, stream::none})}}));
  EXPECT_THAT(nodes[0].spec.deps, IsEmpty());
  EXPECT_THAT(nodes[1].spec.deps, ElementsAre(0));
  EXPECT_THAT(nodes[2].spec.deps, ElementsAre(0));
  EXPECT_THAT(nodes[3].spec.deps, ElementsAre(1, 2));
  EXPECT_THAT(nodes[4].spec.deps, ElementsAre(2, 3));  // once, and nothing ran on cp
}

// One group's collectives are matched in order, so all its ranks must begin them in the same order,
// whichever stream is done first. (Sharded weights are gathered concurrently with the scatter of
// gradients; a rank with more work on its experts came to the next gather before the scatter, the
// others after it: a deadlock.)
TEST(Unroll, CollectivesOfAGroupKeepTheOrderOfIssueOnWhateverStream) {
  const auto nodes = nodes_of(
      program_of_bodies({{compute("0"), communicate("1", stream::dp), compute("2"),
                          communicate("3", stream::gather), communicate("4", stream::gather)}}));
  EXPECT_THAT(nodes[3].spec.deps, ElementsAre(2, 1));
  EXPECT_THAT(nodes[4].spec.deps, ElementsAre(3, 2));
}

TEST(Unroll, RegistersRememberOpsAndCopiesMoveThem) {
  Op marked = communicate("0", stream::gather);
  marked.marks = stream::layer_register;
  Op copy;
  copy.op_class = OpClass::copy;
  copy.stream = stream::layer_register + 1;
  copy.waits[0] = stream::layer_register;
  Op again = communicate("1", stream::gather);
  again.marks = stream::layer_register;
  constexpr Stream first = stream::layer_register + 1, second = stream::layer_register;
  const auto nodes = nodes_of(program_of_bodies(
      {{marked, copy, again,
        waiting(compute("2"), {first, stream::none, stream::none, stream::none}),
        waiting(compute("3"), {second, stream::none, stream::none, stream::none})}}));
  ASSERT_EQ(nodes.size(), 4u);  // a copy is no node
  EXPECT_THAT(nodes[2].spec.deps, ElementsAre(0));
  EXPECT_THAT(nodes[3].spec.deps, ElementsAre(2, 1));
}

TEST(Unroll, ComputationCountsAllItsWork) {
  const auto nodes = nodes_of(program_of_bodies({{compute("a")}}));
  const graph::NodeSpec& node = nodes[0].spec;
  EXPECT_EQ(node.kind, NodeKind::comp);
  EXPECT_EQ(node.work.num_ops, 107);
  EXPECT_EQ(node.work.tensor_size, Bytes(30));
  EXPECT_EQ(node.duration, Time{});
  EXPECT_EQ(node.flags, graph::kHasCpuAttr | graph::kHasNumOps | graph::kHasTensorSize);
}

TEST(Unroll, CollectivesNameTheirAxis) {
  const Program program = program_of_bodies({{communicate("a", stream::tp)}});
  StringPool pool;
  graph::KernelTable kernels;
  const auto done =
      unroll(program, 0, pool, kernels, [&](const graph::NodeSpec& node) -> Result<void> {
        EXPECT_EQ(pool.view(node.collective.group), "tp");
        EXPECT_EQ(node.collective.size, Bytes(64));
        EXPECT_EQ(node.flags, graph::kHasCpuAttr | graph::kHasCommType | graph::kHasCommSize);
        return {};
      });
  EXPECT_TRUE(done);
}

std::int32_t distance_of(NodeKind kind, Axis axis, std::int32_t shift, const Position& where) {
  Program program = program_of_bodies({{message(kind, axis, shift)}});
  program.roles[0].where = where;
  const graph::PointToPoint sent = nodes_of(program)[0].spec.message;
  EXPECT_EQ(kind == NodeKind::send ? sent.src : sent.dst, 0);  // oneself
  return kind == NodeKind::send ? sent.dst : sent.src;
}

TEST(Unroll, PeersAreDistancesThatWrapAtTheEndOfTheirAxis) {
  const Position first{.stage = 0, .cp = 0}, between{.stage = 1, .cp = 2},
      last{.stage = 2, .cp = 1};
  EXPECT_EQ(distance_of(NodeKind::send, Axis::pp, 1, first), 8);
  EXPECT_EQ(distance_of(NodeKind::recv, Axis::pp, -1, first), 16);
  EXPECT_EQ(distance_of(NodeKind::recv, Axis::pp, -1, between), -8);
  EXPECT_EQ(distance_of(NodeKind::send, Axis::pp, 1, last), -16);
  EXPECT_EQ(distance_of(NodeKind::send, Axis::cp, 1, first), 2);
  EXPECT_EQ(distance_of(NodeKind::recv, Axis::cp, -1, first), 6);
  EXPECT_EQ(distance_of(NodeKind::send, Axis::cp, 1, between), 2);
  EXPECT_EQ(distance_of(NodeKind::recv, Axis::cp, -1, between), -2);
  EXPECT_EQ(distance_of(NodeKind::send, Axis::cp, 1, last), -6);
  EXPECT_EQ(distance_of(NodeKind::recv, Axis::cp, -1, last), -2);
  EXPECT_EQ(distance_of(NodeKind::send, Axis::cp, 1, {.stage = 0, .table = 7}), -6);  // by rank
}

TEST(UnrollDeathTest, RanksOfARoleMustAgreeOnTheirPeer) {
  EXPECT_DEATH(distance_of(NodeKind::send, Axis::cp, 1, {.stage = 0}), "moved");
}

TEST(Unroll, TagsTellMicrobatchesAndEdgesApart) {
  Program program = program_of_bodies(
      {{message(NodeKind::send, Axis::pp, 1, 3), message(NodeKind::recv, Axis::pp, -1, 4)}});
  program.roles[0].tasks = {TaskLoop{{Task{}}, 2, 1}};
  const auto nodes = nodes_of(program);
  EXPECT_EQ(nodes[0].spec.message.tag, tag(3, 0));
  EXPECT_EQ(nodes[1].spec.message.tag, tag(4, 0));
  EXPECT_EQ(nodes[2].spec.message.tag, tag(3, 1));
  constexpr std::uint16_t sends = graph::kHasCpuAttr | graph::kHasSrc | graph::kHasDst |
                                  graph::kHasTag | graph::kHasCommSize | graph::kPeerRelative;
  EXPECT_EQ(nodes[0].spec.flags, sends);
}

TEST(Unroll, StopsWithWhatTheCallbackAnswers) {
  const Program program = program_of_bodies({{compute("a"), compute("b")}});
  StringPool pool;
  graph::KernelTable kernels;
  int nodes = 0;
  const auto done = unroll(program, 0, pool, kernels, [&](const graph::NodeSpec&) -> Result<void> {
    ++nodes;
    return fail(Errc::limit_exceeded, "here", "enough");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what, "enough");
  EXPECT_EQ(nodes, 1);
}

TEST(Unroll, CountsNodesWithoutUnrollingThem) {
  Op copy;
  copy.op_class = OpClass::copy;
  Program program = program_of_bodies({{compute("a"), copy, compute("b")}});
  program.roles[0].recipes = {{Segment{0, 1'000'000, 0, 1}}};
  program.roles[0].tasks = {TaskLoop{{Task{}, Task{}}, 1'000'000, 1}};
  EXPECT_EQ(node_count(program, 0), 4'000'000'000'000u);
}

}  // namespace
}  // namespace orrery::workload
