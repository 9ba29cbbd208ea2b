// SPDX-License-Identifier: Apache-2.0
//
// Random recordings played again (Options::replay), in every mode, against a simulator of a few
// lines: nodes without pending dependencies begin at once, members of a collective wait for the
// last one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>

#include "orrery/sim/engine/engine.h"
#include "orrery/sim/sim_testing.h"

namespace orrery::sim {
namespace {

/// A recording and when its nodes end. Made round by round, all ranks together, so the order in
/// which nodes are made is one in which they can be worked out.
class AnyRecording {
 public:
  explicit AnyRecording(std::uint64_t seed) : random_(seed), ranks_(2 + below(3)) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      builders_.emplace_back("w", std::make_shared<StringPool>(), graph::Repair::refuse);
      ends_.emplace_back();
    }
    // Deviations by whole numbers, so that nothing is rounded.
    compute_.assign(ranks_, 1);
    communication_.assign(ranks_, 1);
    compute_[0] = 1 + static_cast<std::int64_t>(below(3));
    communication_[1] = 1 + static_cast<std::int64_t>(below(3));
    for (std::size_t r = 0; r < ranks_; ++r) compute(r, 7, false);
    for (std::uint64_t round = 5 + below(25); round > 0; --round) draw_round();
  }

  [[nodiscard]] graph::Workload workload() {
    graph::Workload made;
    for (std::size_t r = 0; r < ranks_; ++r) {
      Findings findings;
      auto graph = std::move(builders_[r]).finish(findings);
      EXPECT_TRUE(graph.has_value());
      made.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
      made.graph_of_rank.push_back(static_cast<std::uint32_t>(r));
    }
    made.groups["pair"] = {"pair", {1, 0}};
    return made;
  }
  [[nodiscard]] platform::Platform machine() const {
    auto platform = testing::line(platform::Block::ring, static_cast<std::int64_t>(ranks_));
    for (std::uint32_t r = 0; r < ranks_; ++r)
      platform.deviations.push_back({.ranks = {r},
                                     .compute_time = static_cast<double>(compute_[r]),
                                     .communication_time = static_cast<double>(communication_[r])});
    return platform;
  }
  /// By rank, then by node.
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& ends() const { return ends_; }

 private:
  std::uint64_t below(std::uint64_t most) { return random_() % most; }
  std::int64_t length() { return 1 + static_cast<std::int64_t>(below(40)); }

  void draw_round() {
    const std::size_t rank = below(ranks_);
    switch (below(6)) {
      case 0:
        return compute(rank, 7, false);
      case 1:
        return compute(rank, 20, false);
      case 2:
        return compute(rank, 1, true);
      case 3:
        return meet(below(2) == 0);
      case 4:
        return alone(rank);
      default:
        return exchange(rank);
    }
  }

  /// Waits for what came before it on its lane, perhaps for something else, and `lag` after both.
  std::int64_t ready(std::size_t rank, std::int64_t lane, graph::NodeSpec& node) {
    std::int64_t at = 0;
    const auto wait_for = [&](std::uint64_t id) {
      if (std::count(node.deps.begin(), node.deps.end(), id) > 0) return;
      const auto lag = static_cast<std::int64_t>(below(2) * below(30));
      node.deps.push_back(id);
      node.notes.push_back({.dep = id, .lag = Time(lag)});
      at = std::max(at, ends_[rank][id - 1] + lag);
    };
    node.id = ends_[rank].size() + 1;
    node.lane = graph::Lane{.id = lane, .host = lane == 1};
    auto& last = last_[{rank, lane}];
    if (last > 0) wait_for(last);
    if (node.id > 1 && below(2) == 0) wait_for(1 + below(node.id - 1));
    last = node.id;
    return at;
  }

  void add(std::size_t rank, const graph::NodeSpec& node, std::int64_t end) {
    builders_[rank].add(node);
    ends_[rank].push_back(end);
  }

  void compute(std::size_t rank, std::int64_t lane, bool host) {
    graph::NodeSpec node;
    node.kind = graph::NodeKind::comp;
    node.duration = Time(length());
    if (host) node.flags = graph::kIsCpu;
    const std::int64_t factor = host ? 1 : compute_[rank];
    const std::int64_t at = ready(rank, lane, node);
    add(rank, node, at + node.duration.count() * factor);
  }

  graph::NodeSpec collective(std::size_t rank, const char* group) {
    graph::NodeSpec node;
    node.kind = graph::NodeKind::coll;
    node.duration = Time(length());
    node.flags = graph::kHasCommType | graph::kHasCommSize;
    node.collective.type = graph::CollectiveType::all_reduce;
    node.collective.size = Bytes(1000);
    node.collective.group = builders_[rank].strings().intern(group);
    return node;
  }

  /// All of a group, each for as long as it was there.
  void meet(bool pair) {
    std::vector<graph::NodeSpec> nodes;
    std::int64_t begin = 0, shortest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t r = 0; r < (pair ? 2 : ranks_); ++r) {
      nodes.push_back(collective(r, pair ? "pair" : ""));
      begin = std::max(begin, ready(r, 30, nodes.back()));
      shortest = std::min(shortest, nodes.back().duration.count() * communication_[r]);
    }
    for (std::size_t r = 0; r < nodes.size(); ++r) add(r, nodes[r], begin + shortest);
  }

  /// A message of unknown size takes its recorded time.
  void alone(std::size_t rank) {
    graph::NodeSpec node = collective(rank, "");
    node.flags = graph::kHasCommType;
    const std::int64_t at = ready(rank, 30, node);
    add(rank, node, at + node.duration.count() * communication_[rank]);
  }

  void exchange(std::size_t from) {
    const std::size_t to = (from + 1 + below(ranks_ - 1)) % ranks_;
    graph::NodeSpec send, receive;
    send.kind = graph::NodeKind::send;
    receive.kind = graph::NodeKind::recv;
    const auto tag = static_cast<std::uint32_t>(below(2));
    for (graph::NodeSpec* node : {&send, &receive}) {
      node->duration = Time(length());
      node->flags = graph::kHasCommSize | graph::kHasSrc | graph::kHasDst | graph::kHasTag;
      node->message = {.size = Bytes(64),
                       .src = static_cast<std::int32_t>(from),
                       .dst = static_cast<std::int32_t>(to),
                       .tag = tag};
    }
    const std::int64_t begin = std::max(ready(from, 31, send), ready(to, 32, receive));
    const std::int64_t shortest = std::min(send.duration.count() * communication_[from],
                                           receive.duration.count() * communication_[to]);
    add(from, send, begin + shortest);
    add(to, receive, begin + shortest);
  }

  std::mt19937_64 random_;
  std::size_t ranks_;
  std::vector<graph::GraphBuilder> builders_;
  std::vector<std::vector<std::int64_t>> ends_;
  std::map<std::pair<std::size_t, std::int64_t>, std::uint64_t> last_;  // by rank and lane
  std::vector<std::int64_t> compute_, communication_;
};

TEST(Replays, EndWhenWhatTheyWaitForHas) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    AnyRecording any(seed);
    const graph::Workload workload = any.workload();
    const platform::Platform machine = any.machine();
    for (unsigned mode = 0; mode < 32; ++mode) {
      Options options;
      options.replay = true;
      options.fold = (mode & 1) != 0;
      options.skip_repeats = (mode & 2) != 0;
      options.threads = (mode & 4) != 0 ? 4 : 1;
      options.record = (mode & 8) != 0;
      options.keep_times = (mode & 16) != 0;
      const auto result = simulate(workload, machine, options);
      ASSERT_TRUE(result.has_value()) << to_string(result.error());
      ASSERT_FALSE(result->stall.has_value()) << "mode " << mode;
      for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
        const auto& ends = any.ends()[rank];
        ASSERT_EQ(result->ranks[rank].finish, Time(*std::max_element(ends.begin(), ends.end())))
            << "mode " << mode << ", rank " << rank;
        if (!options.record) continue;
        for (graph::NodeId node = 0; node < ends.size(); ++node)
          ASSERT_EQ(result->recording->at(rank, node).end, ends[node])
              << "mode " << mode << ", rank " << rank << ", node " << node;
      }
    }
  }
}

// Copied in the middle, where some may have come to a meeting and others not yet.
TEST(Replays, EndInACopyAsWell) {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    AnyRecording any(seed);
    const graph::Workload workload = any.workload();
    const platform::Platform machine = any.machine();
    Options options;
    options.replay = true;
    for (std::uint64_t events = 1; events < 40; events += 3) {
      Engine original(workload, machine, options);
      ASSERT_TRUE(original.start());
      original.advance(events);
      Engine copy(original);
      for (Engine* engine : {&original, &copy}) {
        engine->advance(kUnlimited);
        const auto result = engine->finish();
        ASSERT_TRUE(result.has_value()) << seed;
        ASSERT_FALSE(result->stall.has_value()) << seed << ", copied after " << events;
        for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
          const auto& ends = any.ends()[rank];
          ASSERT_EQ(result->ranks[rank].finish, Time(*std::max_element(ends.begin(), ends.end())))
              << seed << ", copied after " << events << ", rank " << rank;
        }
      }
    }
  }
}

}  // namespace
}  // namespace orrery::sim
