// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/trace/kineto/kineto_testing.h"

namespace orrery::trace::kineto {
namespace {

using profile::EventId;
using testing::complete;
using testing::Outcome;
using testing::read;
using testing::trace;

/// A kernel of a replay (correlation 5), shown on lane `shown`; `args` go on after that.
std::string node(std::string_view name, double start, double duration, int display_lane,
                 std::string_view args) {
  return complete(name, "kernel", start, duration,
                  R"({"device": 0, "stream": )" + std::to_string(display_lane) +
                      R"(, "correlation": 5, )" + std::string(args) + "}",
                  0, display_lane) +
         ",";
}

/// An arrow from one node to another.
std::string arrow(std::uint64_t id, int from, double end, int to, double start) {
  const auto half = [&](const char* phase, int lane, double time) {
    return R"({"ph": ")" + std::string(phase) + R"(", "id": )" + std::to_string(id) +
           R"(, "pid": 0, "tid": )" + std::to_string(lane) + R"(, "ts": )" + std::to_string(time) +
           R"(, "cat": "ac2g", "name": "ac2g", "bp": "e"},)";
  };
  return half("s", from, end) + half("f", to, start);
}

std::string launch() {
  return complete("cudaGraphLaunch", "cuda_runtime", 0, 5, R"({"correlation": 5})");
}

const profile::GraphNode& graph_of(const Outcome& out, std::string_view name) {
  static const profile::GraphNode kNone;
  const auto* found = out.profile->graph_node(out.event(name));
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? kNone : *found;
}

constexpr std::uint64_t kArrow = std::uint64_t{1} << 40;

TEST(KinetoGraphs, NodesAreKnownByHalfTheirIdOrAllOfIt) {
  const Outcome out =
      read(trace(node("whole", 10, 5, 7, R"("graph id": 3, "graph node id": 12884901890)") +
                 node("half", 20, 5, 7, R"("graph id": 3, "graph node id": 2)") +
                 node("first", 30, 5, 7, R"("graph id": 3)") +
                 node("alone", 40, 5, 7, R"("graph node id": 12884901891)") +
                 node("text", 50, 5, 7, R"("graph id": "4", "graph node id": "9")") +
                 node("none", 60, 5, 7, R"("graph id": 0, "graph node id": 0)") +
                 node("odd", 70, 5, 7, R"("graph id": -3, "graph node id": 99999999999999999999)") +
                 launch()));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(graph_of(out, "whole").graph, 3u);
  EXPECT_EQ(graph_of(out, "whole").node, 2u);
  EXPECT_EQ(graph_of(out, "half").graph, 3u);
  EXPECT_EQ(graph_of(out, "half").node, 2u);
  EXPECT_EQ(graph_of(out, "first").node, 0u);
  EXPECT_EQ(graph_of(out, "alone").graph, 3u);
  EXPECT_EQ(graph_of(out, "text").graph, 4u);
  EXPECT_EQ(out.profile->graph_node(out.event("none")), nullptr);
  EXPECT_EQ(out.profile->graph_node(out.event("odd")), nullptr);
  EXPECT_EQ(out.profile->graph_node(out.event("cudaGraphLaunch")), nullptr);
  EXPECT_EQ(out.profile->graph_nodes.size(), 5u);
  EXPECT_EQ(out.profile->work(out.event("half")).launch, StringId::empty);
}

TEST(KinetoGraphs, ALaneIsNoStream) {
  const Outcome out =
      read(trace(node("a", 10, 5, 100008, R"("graph id": 3, "original_stream": 21)") +
                 node("b", 20, 5, 100009, R"("graph id": 3, "original_stream": 21)") +
                 node("c", 30, 5, 21, R"("priority": 0)") +
                 R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 100008,
                "args": {"name": "TP all-reduce"}},)" +
                 R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 21,
                "args": {"name": "stream 21"}},)" +
                 launch()));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out["a"].lane, out["b"].lane);
  EXPECT_EQ(out["a"].lane, out["c"].lane);
  const auto& lane = out.profile->lanes[out["a"].lane];
  EXPECT_EQ(lane.process, 0);
  EXPECT_EQ(lane.id, 21);
  EXPECT_EQ(lane.name, "stream 21");
  EXPECT_EQ(out.profile->lanes.size(), 2u);
}

/// Arrows stand where nodes are shown, which is not where they ran.
TEST(KinetoGraphs, ArrowsBetweenNodesAreDependencies) {
  const std::string graph = R"("graph id": 3, "original_stream": 21)";
  const Outcome out = read(trace(
      node("root", 10, 5, 100001, graph) + node("left", 15, 5, 100001, graph) +
      node("right", 16, 10, 100002, graph) + node("join", 30, 5, 100001, graph) +
      arrow(kArrow, 100001, 15, 100001, 15) + arrow(kArrow + 1, 100001, 15, 100002, 16) +
      arrow(kArrow + 2, 100001, 20.001, 100001, 30) + arrow(kArrow + 3, 100002, 26, 100001, 30) +
      arrow(kArrow + 4, 100002, 26, 100005, 30) +  // to where nothing is
      arrow(5, 100001, 15, 100001, 15) + launch()));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const EventId root = out.event("root"), left = out.event("left"), right = out.event("right"),
                join = out.event("join");
  using Edges = std::vector<std::pair<EventId, EventId>>;
  EXPECT_EQ(out.profile->graph_edges,
            (Edges{{root, left}, {root, right}, {left, join}, {right, join}}));
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.profile->account.records,
            out.profile->account.events + out.profile->account.mapped);
}

TEST(KinetoGraphs, WhatLeadsBackInTimeIsNone) {
  const std::string graph = R"("graph id": 3)";
  const Outcome out = read(trace(node("a", 10, 20, 7, graph) + node("b", 25, 5, 8, graph) +
                                 arrow(kArrow, 7, 30, 8, 25) + launch()));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_TRUE(out.profile->graph_edges.empty());
  EXPECT_EQ(out.findings.count(FindingCode::dependency_contradicts_time), 1u);
}

/// One replay does not wait for a node of another, whatever the times.
TEST(KinetoGraphs, ReplaysAreApart) {
  const std::string graph = R"("graph id": 3)";
  const std::string other =
      complete("other", "kernel", 10, 5,
               R"({"device": 0, "stream": 7, "correlation": 6, "graph id": 3})", 0, 7);
  const Outcome out = read(
      trace(other + "," + node("b", 20, 5, 8, graph) + arrow(kArrow, 7, 15, 8, 20) + launch()));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_TRUE(out.profile->graph_edges.empty());
}

}  // namespace
}  // namespace orrery::trace::kineto
