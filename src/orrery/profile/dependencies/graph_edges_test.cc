// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "orrery/profile/dependencies/dependencies.h"
#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Waits = std::pair<EventId, DependencyKind>;

/// A thread that launches a graph (correlation 5), and the edges between its nodes.
class GraphDependencies : public ::testing::Test {
 protected:
  EventId node(std::uint32_t stream, std::string_view name, std::int64_t start,
               std::int64_t duration, std::uint64_t replay = 5) {
    const EventId event = make_.kernel(stream, name, start, duration, replay);
    make_.work_of(event).call = replay == 5 ? launch_ : again_;
    return event;
  }
  void edge(EventId from, EventId to) { make_.profile.graph_edges.emplace_back(from, to); }
  void find() {
    std::sort(make_.profile.graph_edges.begin(), make_.profile.graph_edges.end());
    profile_ = make_.take();
    found_ = find_dependencies(profile_, {}, findings_);
    EXPECT_TRUE(replay(profile_, found_).acyclic);
  }
  [[nodiscard]] std::vector<std::pair<EventId, DependencyKind>> of(EventId event) const {
    std::vector<std::pair<EventId, DependencyKind>> edges;
    for (const Dependency& edge : found_.of(found_.node_of[event])) {
      EXPECT_FALSE(edge.guessed);
      edges.emplace_back(edge.from, edge.kind);
    }
    return edges;
  }

  Maker make_;
  std::uint32_t thread_ = make_.thread(1), first_ = make_.stream(7), second_ = make_.stream(8);
  EventId launch_ = make_.call(thread_, "cudaGraphLaunch", 0, 5, 5);
  EventId again_ = make_.call(thread_, "cudaGraphLaunch", 6, 2, 6);
  Profile profile_;
  Findings findings_;
  Dependencies found_;
};

/// Two branches that happened to share a stream do not wait for each other.
TEST_F(GraphDependencies, OrderNodesInsteadOfTheirStream) {
  const EventId before = node(first_, "before", 5, 5, kNoId);
  make_.work_of(before).call = kNoEvent;
  const EventId root = node(first_, "root", 10, 5);
  const EventId left = node(first_, "left", 15, 5);
  const EventId right = node(first_, "right", 20, 5);
  const EventId far = node(second_, "far", 16, 20);
  const EventId other_root = node(first_, "other root", 25, 5);
  const EventId join = node(first_, "join", 40, 5);
  const EventId after = node(first_, "after", 50, 5, kNoId);
  make_.work_of(after).call = kNoEvent;
  edge(root, left);
  edge(root, right);
  edge(root, far);
  edge(left, join);
  edge(far, join);
  edge(other_root, join);
  find();
  using enum DependencyKind;
  EXPECT_THAT(of(root), ElementsAre(Waits(launch_, launch), Waits(before, stream)));
  EXPECT_THAT(of(left), ElementsAre(Waits(root, stream_wait)));
  EXPECT_THAT(of(right), ElementsAre(Waits(root, stream_wait)));
  EXPECT_THAT(of(far), ElementsAre(Waits(root, stream_wait)));
  EXPECT_THAT(of(other_root), ElementsAre(Waits(launch_, launch), Waits(before, stream)));
  EXPECT_THAT(of(join), UnorderedElementsAre(Waits(left, stream_wait), Waits(far, stream_wait),
                                             Waits(other_root, stream_wait)));
  // "right" is waited for by no other node.
  EXPECT_THAT(of(after), UnorderedElementsAre(Waits(right, stream), Waits(join, stream)));
  EXPECT_EQ(findings_.count(FindingCode::dependency_contradicts_time), 0u);
}

TEST_F(GraphDependencies, ReplaysFollowEachOther) {
  const EventId a = node(first_, "a", 10, 5), b = node(first_, "b", 20, 5);
  const EventId c = node(first_, "c", 30, 5, 6), d = node(first_, "d", 40, 5, 6);
  edge(a, b);
  edge(c, d);
  find();
  using enum DependencyKind;
  EXPECT_THAT(of(b), ElementsAre(Waits(a, stream_wait)));
  EXPECT_THAT(of(c), ElementsAre(Waits(again_, launch), Waits(b, stream)));
  EXPECT_THAT(of(d), ElementsAre(Waits(c, stream_wait)));
}

/// What is inside a conditional node has no recorded edges: the stream orders it.
TEST_F(GraphDependencies, NodesWithoutEdgesKeepTheirPlaceOnTheStream) {
  const EventId a = node(first_, "a", 10, 5), inside = node(first_, "inside", 20, 5),
                b = node(first_, "b", 30, 5);
  edge(a, b);
  find();
  using enum DependencyKind;
  EXPECT_THAT(of(inside), ElementsAre(Waits(a, stream)));
  EXPECT_THAT(of(b), ElementsAre(Waits(a, stream_wait)));
}

/// Whatever edges a file has: nothing waits in a circle.
TEST_F(GraphDependencies, NeverCloseACircle) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t most) { return static_cast<std::int64_t>(random() % most); };
  for (int round = 0; round < 50; ++round) {
    make_ = Maker();
    thread_ = make_.thread(1);
    launch_ = make_.call(thread_, "cudaGraphLaunch", 0, 5, 5);
    again_ = make_.call(thread_, "cudaGraphLaunch", 6, 2, 6);
    std::vector<EventId> nodes;
    for (int i = 0; i < 40; ++i) {
      nodes.push_back(node(make_.stream(7 + below(3)), "n", below(50), below(20),
                           static_cast<std::uint64_t>(5 + below(2))));
    }
    for (int i = 0; i < 60; ++i)
      edge(nodes[random() % nodes.size()], nodes[random() % nodes.size()]);
    find();
  }
}

}  // namespace
}  // namespace orrery::profile
