// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/dependencies/dependencies.h"

#include <gtest/gtest.h>

#include "orrery/profile/dependencies/dependencies_testing.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

using Edges = std::vector<std::pair<EventId, DependencyKind>>;
using enum DependencyKind;

/// A profile with the calls of its works filled in by hand.
struct Made {
  explicit Made(Maker& make, DependencyOptions options = {}) : profile(make.take()) {
    for (std::size_t e = 0; e < profile.events.size(); ++e) {
      if (!is_device_work(profile.events[e].kind)) continue;
      Work& work = profile.works[profile.events[e].detail];
      for (std::size_t c = 0; c < profile.events.size(); ++c) {
        if (profile.events[c].kind == Kind::call && work.correlation != kNoId &&
            profile.call(static_cast<EventId>(c)).correlation == work.correlation)
          work.call = static_cast<EventId>(c);
      }
    }
    found = find_dependencies(profile, options, findings);
    EXPECT_TRUE(replay(profile, found).acyclic);
  }
  [[nodiscard]] Edges of(EventId event) const {
    Edges edges;
    for (const Dependency& edge : found.of(found.node_of[event]))
      edges.emplace_back(edge.from, edge.kind);
    return edges;
  }
  [[nodiscard]] bool guessed(EventId event, EventId from) const {
    for (const Dependency& edge : found.of(found.node_of[event]))
      if (edge.from == from) return edge.guessed;
    return false;
  }
  /// The longest of what it waits for.
  [[nodiscard]] Time lag(EventId event) const {
    Time longest{};
    for (const Dependency& edge : found.of(found.node_of[event]))
      longest = std::max(longest, edge.lag);
    return longest;
  }
  [[nodiscard]] Time cost(EventId event) const { return found.cost[found.node_of[event]]; }
  [[nodiscard]] Time replayed(EventId event) const {
    return replay(profile, found).end[found.node_of[event]];
  }

  Profile profile;
  Findings findings;
  Dependencies found;
};

TEST(Dependencies, StepsOfAThread) {
  Maker make;
  const std::uint32_t thread = make.thread(1);
  const EventId a = make.op(thread, "a", 0, 100);
  const EventId b = make.op(thread, "b", 10, 20);
  make.call(thread, "cudaStreamIsCapturing", 40, 1);
  make.python(thread, "frame", 45, 30);
  const EventId c = make.op(thread, "c", 50, 10);
  const EventId d = make.annotation(thread, "d", 120, 30);
  const Made made(make);
  EXPECT_EQ(made.found.nodes, (std::vector<EventId>{a, b, c, d}));
  EXPECT_EQ(made.of(a), Edges{});
  EXPECT_EQ(made.of(b), (Edges{{a, DependencyKind::thread}}));
  EXPECT_EQ(made.cost(a), us(10));
  EXPECT_EQ(made.cost(b), us(20));
  EXPECT_EQ(made.cost(c), us(30));  // from the end of b to its own
  EXPECT_EQ(made.cost(d), us(90));  // with the rest of a, and what the thread thought
  EXPECT_EQ(made.replayed(d), us(150));
  EXPECT_EQ(made.findings.count(FindingCode::call_folded), 1u);
  EXPECT_EQ(made.findings.count(FindingCode::host_context_folded), 1u);
  EXPECT_EQ(made.found.counts[static_cast<std::size_t>(DependencyKind::thread)], 3u);
}

TEST(Dependencies, LaunchesAndStreams) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7), other = make.stream(8);
  const EventId op = make.op(thread, "op", 0, 30);
  const EventId first = make.call(thread, "cudaLaunchKernel", 2, 10, 1);
  const EventId second = make.call(thread, "cudaLaunchKernel", 15, 5, 2);
  const EventId third = make.call(thread, "cudaMemsetAsync", 21, 5, 3);
  const EventId a = make.kernel(stream, "a", 8, 30, 1);
  const EventId b = make.kernel(stream, "b", 39, 10, 2);
  const EventId set = make.kernel(other, "Memset (Device)", 40, 1, 3, kNoId, Kind::memset);
  const Made made(make);
  EXPECT_EQ(made.of(a), (Edges{{first, launch}}));
  EXPECT_EQ(made.of(b), (Edges{{second, launch}, {a, DependencyKind::stream}}));
  EXPECT_EQ(made.of(set), (Edges{{third, launch}}));
  EXPECT_EQ(made.of(second), (Edges{{first, DependencyKind::thread}}));
  EXPECT_EQ(made.cost(first), us(6));  // from op's beginning of it to where the kernel begins
  EXPECT_EQ(made.cost(second), us(12));
  EXPECT_EQ(made.cost(a), us(30));
  EXPECT_EQ(made.replayed(a), us(38));
  EXPECT_EQ(made.replayed(b), us(49));
  EXPECT_EQ(made.cost(op), us(2));
  EXPECT_EQ(made.lag(a), Time{});
  EXPECT_EQ(made.lag(b), us(14));  // of its launch, as is usual here
  EXPECT_EQ(made.lag(set), us(14));
  EXPECT_EQ(made.lag(op), Time{});
}

// What waits for nothing that was recorded begins when it did.
TEST(Dependencies, BeginsWhereNothingSaysWhy) {
  Maker make;
  const std::uint32_t thread = make.thread(1), late = make.thread(2), stream = make.stream(7);
  const EventId call = make.call(thread, "cudaLaunchKernel", 0, 10, 1);
  const EventId other = make.annotation(late, "gloo:all_reduce", 20'400, 30);
  const EventId next = make.annotation(late, "gloo:all_reduce", 20'500, 30);
  // The stream was busy with what had been launched before the profile began.
  const EventId busy = make.kernel(stream, "busy", 5'000, 10, 1);
  const EventId orphan = make.kernel(make.stream(8), "no call", 700, 10, 99);
  const EventId after = make.kernel(make.stream(8), "no call", 900, 10, 98);
  const EventId soon = make.kernel(make.stream(9), "soon", 300, 10, 1);
  const Made made(make);
  const auto start = [&](EventId event) { return made.found.start[made.found.node_of[event]]; };
  EXPECT_EQ(start(call), Time{});
  EXPECT_EQ(start(other), us(20'400));
  EXPECT_EQ(made.cost(other), us(30));
  EXPECT_EQ(start(next), Time{});
  EXPECT_EQ(made.cost(next), us(100));  // with the thread's pause
  EXPECT_EQ(start(busy), Time{});
  EXPECT_EQ(made.of(busy), (Edges{{call, recorded_wait}}));
  EXPECT_EQ(made.lag(busy), us(4'990));
  EXPECT_EQ(start(orphan), us(700));
  EXPECT_EQ(start(after), Time{});  // ordered on its stream
  EXPECT_EQ(made.lag(after), us(190));
  EXPECT_EQ(made.lag(soon), us(290));  // after its launch
  EXPECT_EQ(made.replayed(busy), us(5'010));
  EXPECT_EQ(made.replayed(next), us(20'530));
  EXPECT_EQ(made.replayed(orphan), us(710));
}

TEST(Dependencies, OneLaunchOfAGraph) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7), other = make.stream(8);
  const EventId call = make.call(thread, "cudaGraphLaunch", 0, 5, 1);
  const EventId a = make.kernel(stream, "a", 6, 4, 1);
  const EventId b = make.kernel(stream, "b", 10, 4, 1);
  const EventId c = make.kernel(other, "c", 10, 4, 1);
  const Made made(make);
  EXPECT_EQ(made.of(a), (Edges{{call, launch}}));
  EXPECT_EQ(made.of(b), (Edges{{a, DependencyKind::stream}}));
  EXPECT_EQ(made.of(c), (Edges{{call, launch}}));
}

TEST(Dependencies, OverlapOnAStream) {
  Maker make;
  const std::uint32_t stream = make.stream(7);
  const EventId a = make.kernel(stream, "a", 0, 10);
  const EventId b = make.kernel(stream, "begins early", 8, 10);
  const EventId c = make.kernel(stream, "beside", 10, 4);
  const EventId d = make.kernel(stream, "beside, after c", 15, 2);
  const EventId e = make.kernel(stream, "after all", 20, 5);
  const Made made(make);
  EXPECT_EQ(made.of(b), (Edges{{a, DependencyKind::stream}}));
  EXPECT_EQ(made.cost(b), us(8));
  EXPECT_EQ(made.of(c), (Edges{{a, DependencyKind::stream}}));
  EXPECT_EQ(made.of(d), (Edges{{c, DependencyKind::stream}}));
  EXPECT_EQ(made.of(e), (Edges{{b, DependencyKind::stream}, {d, DependencyKind::stream}}));
  EXPECT_EQ(made.replayed(b), us(18));
}

TEST(Dependencies, WorkWithoutACallFollowsItsOperator) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId op = make.op(thread, "op", 0, 10);
  const EventId late = make.op(thread, "too late", 50, 10);
  const EventId a = make.kernel(stream, "a", 12, 4);
  const EventId b = make.kernel(stream, "b", 20, 4);
  make.work_of(a).op = op;
  make.work_of(b).op = late;
  const Made made(make);
  EXPECT_EQ(made.of(a), (Edges{{op, launch}}));
  EXPECT_TRUE(made.guessed(a, op));
  EXPECT_EQ(made.of(b), (Edges{{a, DependencyKind::stream}}));
}

TEST(Dependencies, BlockingCopy) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId call = make.call(thread, "cudaMemcpyAsync", 5, 95, 1);
  const EventId next = make.op(thread, "next", 100, 20);
  const EventId pinned_call = make.call(thread, "cudaMemcpyAsync", 130, 20, 2);
  const EventId last = make.op(thread, "last", 160, 20);
  const EventId copy =
      make.kernel(stream, "Memcpy DtoH (Device -> Pageable)", 60, 30, 1, kNoId, Kind::memcpy);
  make.kernel(stream, "Memcpy DtoH (Device -> Pinned)", 135, 5, 2, kNoId, Kind::memcpy);
  const Made made(make);
  EXPECT_EQ(made.cost(call), Time{});
  EXPECT_EQ(made.of(next), (Edges{{call, DependencyKind::thread}, {copy, sync}}));
  EXPECT_EQ(made.cost(next), us(30));  // 10 to leave the call, 20 of its own
  EXPECT_EQ(made.of(last), (Edges{{pinned_call, DependencyKind::thread}}));
}

TEST(Dependencies, LaunchAfterItsWorkIsDropped) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId call = make.call(thread, "cudaLaunchKernel", 50, 5, 1);
  const EventId kernel = make.kernel(stream, "k", 10, 5, 1);
  const Made made(make);
  EXPECT_EQ(made.of(kernel), Edges{});
  EXPECT_EQ(made.found.node_of[call], kNone);
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 1u);
}

TEST(Dependencies, UntimedNodesCostNothing) {
  Maker make;
  const std::uint32_t thread = make.thread(1);
  const EventId root = make.node(thread, "root", 2);
  const EventId a = make.op(thread, "a", 100, 10);
  const EventId inner = make.node(thread, "inner", 4);
  const EventId b = make.op(thread, "b", 120, 10);
  for (const auto& [event, id] : {std::pair(a, 3), std::pair(b, 5)}) {
    Node node;
    node.id = static_cast<std::uint64_t>(id);
    make.profile.nodes.push_back(node);
    make.op_of(event).node = static_cast<std::uint32_t>(make.profile.nodes.size() - 1);
    make.profile.events[event].flags |= kHasNode;
  }
  const Made made(make);
  EXPECT_EQ(made.found.nodes, (std::vector<EventId>{root, a, inner, b}));
  EXPECT_EQ(made.of(inner), (Edges{{a, DependencyKind::thread}}));
  EXPECT_EQ(made.cost(inner), Time{});
  EXPECT_EQ(made.cost(b), us(20));
  EXPECT_EQ(made.replayed(b), us(130));
}

TEST(Dependencies, Tensors) {
  Maker make;
  const std::uint32_t one = make.thread(1), two = make.thread(2);
  const EventId a = make.node(one, "a", 2), b = make.node(one, "b", 3), c = make.node(two, "c", 4),
                d = make.node(two, "d", 5);
  const auto text = [&](const char* t) { return make.profile.texts.add(t); };
  make.node_of(a).outputs = text(R"([[10, 7, 0, 4, 4, "cuda:0"]])");
  make.node_of(b).inputs = text(R"([[10, 7, 0, 4, 4, "cuda:0"]])");
  make.node_of(b).outputs = text(R"([[11, 8, 0, 4, 4, "cuda:0"]])");
  make.node_of(c).inputs = text(R"([[[11, 8, 0, 4, 4, "cuda:0"]], 1.0])");
  make.node_of(d).inputs = text(R"([[10, 7, 0, 4, 4, "cuda:0"]])");
  const Made made(make, {.tensors = true});
  EXPECT_EQ(made.of(b), (Edges{{a, DependencyKind::thread}}));
  EXPECT_EQ(made.of(c), (Edges{{b, tensor}}));
  EXPECT_EQ(made.of(d), (Edges{{c, DependencyKind::thread}}));  // c implies it
  EXPECT_EQ(made.found.counts[static_cast<std::size_t>(tensor)], 1u);
}

TEST(Dependencies, EqualTimesMakeNoCycle) {
  Maker make;
  const std::uint32_t one = make.thread(1), two = make.thread(2);
  const EventId a = make.node(one, "a", 2), b = make.node(one, "b", 5), c = make.node(two, "c", 3),
                d = make.node(two, "d", 4);
  make.profile.forward_backward = {{d, a}, {b, c}};  // a → b → c → d → a
  const Made made(make);
  EXPECT_EQ(made.findings.count(FindingCode::dependency_contradicts_time), 2u);
  EXPECT_EQ(made.of(a), Edges{});
  EXPECT_EQ(made.of(d), (Edges{{c, DependencyKind::thread}}));
}

TEST(Dependencies, Names) {
  EXPECT_EQ(name(DependencyKind::thread), "thread");
  EXPECT_EQ(name(stream_wait), "stream_wait");
  EXPECT_EQ(name(tensor), "tensor");
}

TEST(Dependencies, OfNothing) {
  Maker make;
  const Made made(make);
  EXPECT_TRUE(made.found.nodes.empty());
  EXPECT_EQ(made.found.first.size(), 1u);
  EXPECT_TRUE(made.findings.empty());
}

}  // namespace
}  // namespace orrery::profile
