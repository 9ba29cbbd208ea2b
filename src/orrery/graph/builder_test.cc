// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace orrery::graph {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Edge {
  std::uint64_t id;
  std::vector<std::uint64_t> deps;
};

Result<Graph> build(const std::vector<Edge>& nodes, Repair repair, Findings& findings) {
  GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), repair);
  for (const Edge& edge : nodes) {
    NodeSpec node;
    node.id = edge.id;
    node.kind = NodeKind::comp;
    node.name = builder.strings().intern("n" + std::to_string(edge.id));
    node.deps = edge.deps;
    node.offset = edge.id * 100;
    builder.add(node);
  }
  return std::move(builder).finish(findings);
}

Graph good(const std::vector<Edge>& nodes, Repair repair = Repair::refuse) {
  Findings findings;
  auto graph = build(nodes, repair, findings);
  EXPECT_TRUE(graph) << (graph ? "" : to_string(graph.error()));
  return graph ? std::move(*graph) : Graph{};
}

Error bad(const std::vector<Edge>& nodes) {
  Findings findings;
  auto graph = build(nodes, Repair::refuse, findings);
  EXPECT_FALSE(graph);
  return graph ? Error{} : graph.error();
}

std::vector<NodeId> successors(const Graph& graph, std::uint64_t id) {
  const auto span = graph.successors(graph.find(id));
  return {span.begin(), span.end()};
}

TEST(GraphBuilder, OrdersNodesByIdAndFollowsForwardReferences) {
  const Graph graph = good({{30, {10, 20}}, {10, {}}, {20, {10}}});
  ASSERT_EQ(graph.size(), 3u);
  EXPECT_EQ(graph.id(0), 10u);
  EXPECT_EQ(graph.id(2), 30u);
  EXPECT_EQ(graph.name(1), "n20");
  EXPECT_THAT(successors(graph, 10), ElementsAre(1u, 2u));
  EXPECT_THAT(graph.in_degrees(), ElementsAre(0u, 1u, 2u));
  EXPECT_EQ(graph.find(15), kNoNode);
}

TEST(GraphBuilder, MergesRepeatedDependencies) {
  const Graph graph = good({{1, {}}, {2, {1, 1, 1}}});
  EXPECT_EQ(graph.edge_count(), 1u);
  EXPECT_THAT(graph.in_degrees(), ElementsAre(0u, 1u));
}

TEST(GraphBuilder, IdsMayBeAnything) {
  const std::uint64_t far = ~std::uint64_t{0};
  const Graph wide = good({{0, {}}, {5, {0}}, {far, {5}}});
  EXPECT_EQ(wide.id(2), far);
  EXPECT_EQ(wide.find(far), 2u);
  EXPECT_THAT(successors(wide, 5), ElementsAre(2u));
  const Graph sparse = good({{7, {}}, {1'000'007, {7}}});
  EXPECT_EQ(sparse.id(1), 1'000'007u);
  const Graph dense = good({{far - 1, {}}, {far, {far - 1}}});
  EXPECT_EQ(dense.id(1), far);
  EXPECT_EQ(dense.edge_count(), 1u);
}

TEST(GraphBuilder, AnEmptyGraphIsAGraph) {
  const Graph graph = good({});
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_EQ(graph.find(0), kNoNode);
}

TEST(GraphBuilder, RefusesDamageWithPlaceAndNode) {
  EXPECT_EQ(bad({{1, {}}, {2, {9}}}).code, Errc::input_dangling_dep);
  EXPECT_EQ(bad({{1, {}}, {2, {9}}}).where, "w.0.et:byte 200 (node 2)");
  EXPECT_THAT(bad({{1, {}}, {2, {9}}}).what, HasSubstr("node 9"));
  EXPECT_EQ(bad({{1, {1}}}).code, Errc::input_self_edge);
  EXPECT_EQ(bad({{4, {}}, {3, {}}, {4, {}}}).code, Errc::input_duplicate_id);
  EXPECT_EQ(bad({{1, {~std::uint64_t{0}}}}).code, Errc::input_dangling_dep);
}

TEST(GraphBuilder, PrintsTheShortestCircle) {
  // Two circles: 1-2-3-4 and 6-7. 5 hangs on the first and lies on none.
  const Error error =
      bad({{1, {4}}, {2, {1}}, {3, {2}}, {4, {3}}, {5, {4}}, {6, {7, 5}}, {7, {6}}});
  EXPECT_EQ(error.code, Errc::input_cycle);
  EXPECT_THAT(error.what, HasSubstr("6 \"n6\" -> 7 \"n7\" -> 6"));
  std::vector<Edge> ring;
  for (std::uint64_t i = 0; i < 50; ++i) ring.push_back({i, {(i + 49) % 50}});
  EXPECT_THAT(bad(ring).what, HasSubstr("(40 more) -> 0"));
}

TEST(GraphBuilder, RepairDropsTheLeastAndCountsIt) {
  Findings findings;
  const auto graph =
      build({{1, {3}}, {2, {1, 2, 99}}, {3, {2}}, {3, {1}}}, Repair::repair, findings);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->size(), 3u);
  EXPECT_EQ(graph->edge_count(), 2u);
  EXPECT_THAT(graph->in_degrees(), ElementsAre(0u, 1u, 1u));
  EXPECT_EQ(findings.count(FindingCode::duplicate_id_dropped), 1u);
  EXPECT_EQ(findings.count(FindingCode::self_edge_dropped), 1u);
  EXPECT_EQ(findings.count(FindingCode::dangling_dep_dropped), 1u);
  EXPECT_EQ(findings.count(FindingCode::cycle_broken), 1u);
}

TEST(GraphBuilder, SharesEqualPayloadsAndKeepsTensors) {
  GraphBuilder builder("w", std::make_shared<StringPool>(), Repair::refuse);
  for (std::uint64_t id : {5, 4, 3, 2, 1}) {
    NodeSpec node;
    node.id = id;
    node.kind = id == 3 ? NodeKind::coll : NodeKind::comp;
    node.flags = kHasNumOps;
    node.work = {.num_ops = 7, .tensor_size = Bytes(9)};
    node.collective.size = Bytes(64);
    if (id == 2)
      node.tensors = {{.size = Bytes(4), .name = builder.strings().intern("t"), .is_output = true}};
    builder.add(node);
  }
  Findings findings;
  const auto graph = std::move(builder).finish(findings);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->work(4).num_ops, 7);
  EXPECT_EQ(graph->collective(2).size, Bytes(64));
  ASSERT_EQ(graph->tensors(1).size(), 1u);
  EXPECT_EQ(graph->string(graph->tensors(1)[0].name), "t");
  EXPECT_TRUE(graph->tensors(0).empty());
}

TEST(GraphBuilder, HashIsOfContentNotOfOrderOrNames) {
  const auto hash = [](const std::vector<Edge>& nodes) { return good(nodes).content_hash(); };
  EXPECT_EQ(hash({{1, {}}, {2, {1}}}), hash({{2, {1}}, {1, {}}}));
  EXPECT_NE(hash({{1, {}}, {2, {1}}}), hash({{1, {}}, {2, {}}}));
  EXPECT_NE(hash({{1, {}}, {2, {1}}}), hash({{1, {}}, {3, {1}}}));
}

TEST(GraphBuilder, PeersMayBeDistances) {
  const auto sends = [](std::int32_t to, bool relative) {
    GraphBuilder builder("w", std::make_shared<StringPool>(), Repair::refuse);
    NodeSpec node;
    node.kind = NodeKind::send;
    node.flags = static_cast<std::uint16_t>(kHasDst | (relative ? kPeerRelative : 0));
    node.message.dst = to;
    builder.add(node);
    Findings findings;
    return std::move(builder).finish(findings).value();
  };
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(sends(3, false).message(0, 5).dst, 3);
  EXPECT_EQ(sends(3, true).message(0, 5).dst, 8);
  EXPECT_EQ(sends(-3, true).message(0, 5).dst, 2);
  EXPECT_EQ(sends(kMost, true).message(0, 5).dst, kMost);  // no rank's number
  EXPECT_NE(sends(3, true).content_hash(), sends(3, false).content_hash());
}

/// Any soup of nodes and edges: refuse says yes exactly when there is nothing to repair, repair
/// always gives a DAG.
RC_GTEST_PROP(GraphBuilderProperty, RepairGivesADag, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 40);
  std::vector<Edge> nodes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = *rc::gen::inRange<std::uint64_t>(0, 60);
    nodes.push_back({id, *rc::gen::container<std::vector<std::uint64_t>>(
                             rc::gen::inRange<std::uint64_t>(0, 60))});
  }
  Findings findings;
  const auto graph = build(nodes, Repair::repair, findings);
  RC_ASSERT(graph.has_value());
  std::vector<std::uint32_t> waiting(graph->in_degrees().begin(), graph->in_degrees().end());
  std::vector<NodeId> ready;
  for (NodeId n = 0; n < graph->size(); ++n) {
    if (waiting[n] == 0) ready.push_back(n);
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const NodeId n = ready.back();
    ready.pop_back();
    ++done;
    RC_ASSERT(std::is_sorted(graph->successors(n).begin(), graph->successors(n).end()));
    for (const NodeId s : graph->successors(n)) {
      if (--waiting[s] == 0) ready.push_back(s);
    }
  }
  RC_ASSERT(done == graph->size());
  Findings none;
  const auto strict = build(nodes, Repair::refuse, none);
  RC_ASSERT(strict.has_value() == findings.empty());
  if (strict) RC_ASSERT(strict->content_hash() == graph->content_hash());
}

NodeSpec node_of(std::uint64_t id, std::vector<std::uint64_t> deps) {
  NodeSpec node;
  node.id = id;
  node.kind = NodeKind::comp;
  node.deps = std::move(deps);
  return node;
}

TEST(GraphBuilder, KeepsWhereNodesRanAndWhyTheyWaited) {
  for (const bool sorted : {true, false}) {
    GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), Repair::refuse);
    NodeSpec launch = node_of(1, {}), kernel = node_of(2, {1}), copy = node_of(3, {1, 2});
    launch.lane = Lane{.id = 77, .host = true};
    kernel.lane = Lane{.id = 7, .device = 1};
    kernel.notes = {{.dep = 1, .lag = us(4), .kind = DependencyKind::launch}};
    copy.notes = {{.dep = 2, .lag = us(2)}, {.dep = 9, .lag = us(9)}};  // 9: no such dependency
    copy.lane = kernel.lane;
    kernel.scope = {.step = 3, .layer = 1, .phase = StepPhase::forward};
    builder.add(sorted ? launch : copy);
    builder.add(kernel);
    builder.add(sorted ? copy : launch);
    Findings findings;
    const auto graph = std::move(builder).finish(findings);
    ASSERT_TRUE(graph);
    ASSERT_EQ(graph->lanes().size(), 2u);
    EXPECT_EQ(graph->lanes()[graph->lane(0)], (Lane{.id = 77, .host = true}));
    EXPECT_EQ(graph->lanes()[graph->lane(1)], (Lane{.id = 7, .device = 1}));
    EXPECT_EQ(graph->lane(2), graph->lane(1));
    EXPECT_EQ(graph->scope(0), StepScope{});
    EXPECT_EQ(graph->scope(1), kernel.scope);
    EXPECT_EQ(graph->scope(2), StepScope{});
    EXPECT_THAT(graph->lags(0), ElementsAre(us(4), Time{}));
    EXPECT_THAT(graph->lags(1), ElementsAre(us(2)));
    EXPECT_THAT(graph->edge_kinds(0), ElementsAre(DependencyKind::launch, DependencyKind::unsaid));
    EXPECT_EQ(graph->edge(0, 2), 1u);
    EXPECT_EQ(graph->edge(2, 0), kNoNode);
  }
}

TEST(GraphBuilder, WhatNobodySaysTakesNoRoom) {
  const Graph graph = good({{1, {}}, {2, {1}}});
  EXPECT_FALSE(graph.has_lags());
  EXPECT_TRUE(graph.lags(0).empty());
  EXPECT_TRUE(graph.edge_kinds(0).empty());
  EXPECT_TRUE(graph.lanes().empty());
  EXPECT_EQ(graph.lane(0), kNoLane);
  EXPECT_FALSE(graph.has_scopes());
  EXPECT_FALSE(graph.scope(0).is_set());
}

TEST(GraphBuilder, LagsLanesAndScopesAreContent) {
  const auto hash = [](Time lag, std::optional<Lane> lane, StepScope scope = {}) {
    GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), Repair::refuse);
    builder.add(node_of(1, {}));
    NodeSpec node = node_of(2, {1});
    node.lane = lane;
    node.scope = scope;
    if (lag > Time{}) node.notes = {{.dep = 1, .lag = lag}};
    builder.add(node);
    Findings findings;
    return std::move(builder).finish(findings)->content_hash();
  };
  const std::set<std::uint64_t> hashes = {hash({}, {}),
                                          hash(us(1), {}),
                                          hash(us(2), {}),
                                          hash({}, Lane{.id = 7}),
                                          hash({}, Lane{.id = 8}),
                                          hash({}, Lane{.id = 7, .row = 1}),
                                          hash({}, {}, {.step = 1}),
                                          hash({}, {}, {.layer = 1}),
                                          hash({}, {}, {.phase = StepPhase::forward})};
  EXPECT_EQ(hashes.size(), 9u);
}

}  // namespace
}  // namespace orrery::graph
