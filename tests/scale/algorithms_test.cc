// SPDX-License-Identifier: Apache-2.0
//
// What every collective algorithm has to keep (see
// model/collective/algorithms/collective_algorithm.h), tried with all that are registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "orrery/model/collective/algorithms/closed_form.h"
#include "orrery/model/collective/algorithms/tree_place.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/synthesis/bounds/bounds.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

using model::Peers;
using model::PhaseSpec;
using platform::AlgorithmEntry;
using platform::AlgorithmSpec;
using platform::Block;
using platform::Platform;

constexpr std::int64_t kBytes = 192'000;  // in parts of up to 16 members

class Algorithms : public testing::TestWithParam<AlgorithmEntry> {
 protected:
  /// Dimensions of so many members each, all collectives by the algorithm where it can.
  [[nodiscard]] static Platform machine(const std::vector<std::int64_t>& sizes, Block block,
                                        const AlgorithmSpec& spec) {
    Platform made;
    for (const std::int64_t size : sizes) {
      made.dims.push_back({block, size, Bandwidth(1e9), 1000.0});
      if (block == Block::switched) made.dims.back().in_network = platform::InNetwork{};
    }
    for (const CollectiveType type : platform::kPlannedTypes) {
      const bool can = can_run(platform::entry(spec.algorithm), type);
      const AlgorithmSpec used = can ? spec : AlgorithmSpec{};
      made.collectives.plan(type)->per_dim.assign(used.joined ? 1 : sizes.size(), used);
    }
    return made;
  }

  /// What the algorithm can run among so many.
  [[nodiscard]] static std::vector<CollectiveType> types(std::int64_t members) {
    std::vector<CollectiveType> can;
    if (GetParam().power_of_two && !std::has_single_bit(static_cast<std::uint64_t>(members)))
      return can;
    for (const CollectiveType type : platform::kPlannedTypes)
      if (can_run(GetParam(), type)) can.push_back(type);
    return can;
  }

  [[nodiscard]] static std::vector<Block> blocks() {
    if (GetParam().by_switches) return {Block::switched};
    return {Block::ring, Block::fully_connected, Block::switched};
  }

  [[nodiscard]] static std::vector<std::int64_t> windows() {
    return GetParam().window ? std::vector<std::int64_t>{-1, 1, 3} : std::vector<std::int64_t>{-1};
  }

  /// Switches carry only tokens.
  [[nodiscard]] static graph::ExpertExchange exchange(CollectiveType type) {
    graph::ExpertExchange tokens;
    if (!GetParam().by_switches || type != CollectiveType::all_to_all) return tokens;
    tokens.set(graph::ExpertTransport::in_network, false);
    tokens.experts = 64;
    tokens.top_k = 4;
    return tokens;
  }

  [[nodiscard]] static graph::Workload work(CollectiveType type, std::uint32_t ranks) {
    std::vector<std::uint32_t> all(ranks);
    std::iota(all.begin(), all.end(), 0);
    return study::single_collective(type, Bytes(kBytes), all, ranks, exchange(type));
  }

  /// One dimension's phase: an all-gather begins with a part.
  [[nodiscard]] static PhaseSpec phase(const Platform& platform, CollectiveType type,
                                       std::uint32_t size) {
    const model::MultiDimFabric fabric(platform);
    model::PhaseRequest request;
    request.algorithm = platform.collectives.plan(type)->per_dim.front();
    request.type = type;
    request.ring.size = size;
    request.data = type == CollectiveType::all_gather ? kBytes / size : kBytes;
    request.exchange = exchange(type);
    return model::PhaseFactory(platform, &fabric).make(request).value();
  }
};

/// By member: from whom it has something (a bit for each).
using Heard = std::vector<std::uint64_t>;

// The first packets are sent before anything has come, each later one when another has.
Heard after_packets(const PhaseSpec& spec) {
  const std::uint32_t size = spec.request.ring.size;
  std::vector<Heard> before;  // each message
  Heard heard(size);
  for (std::uint32_t m = 0; m < size; ++m) heard[m] = std::uint64_t{1} << m;
  for (std::int32_t packet = 0; packet < spec.steps; ++packet) {
    before.push_back(heard);
    // Of an all-to-all, a member sends what is its own; what it hands on is the ring's business.
    const bool after_all = spec.barrier > 0 && packet >= spec.barrier;
    const std::int32_t seen = after_all ? spec.barrier : std::max(0, packet - spec.window + 1);
    const Heard& known = before[static_cast<std::size_t>(std::min(seen, packet))];
    const std::uint32_t key = spec.key_of(static_cast<std::uint32_t>(packet));
    Heard next = heard;
    for (std::uint32_t m = 0; m < size; ++m) next[spec.destination(m, m, key)] |= known[m];
    for (std::uint32_t m = 0; m < size; ++m) {
      const std::uint32_t to = spec.destination(m, m, key);
      EXPECT_EQ(spec.source(to, to, key), m);  // receivers post what senders send
    }
    heard = next;
  }
  return heard;
}

std::uint64_t up(std::uint32_t at, std::uint32_t size, bool max_tree) {
  const model::TreePlace place = model::tree_place(at, size, max_tree);
  std::uint64_t heard = std::uint64_t{1} << at;
  for (const std::uint32_t child : {place.left, place.right})
    if (child != model::TreePlace::kNone) heard |= up(child, size, max_tree);
  return heard;
}

std::uint64_t all_of(std::uint32_t size) { return (std::uint64_t{1} << size) - 1; }

/// Bytes that a member has to send on the average, whatever the algorithm: Patarasuk and Yuan,
/// 2009.
std::int64_t least_sent(const PhaseSpec& spec) {
  const std::int64_t others = spec.request.ring.size - 1, size = spec.request.ring.size;
  if (spec.request.type == CollectiveType::all_gather) return spec.request.data * others;
  const std::int64_t once = spec.request.data * others / size;
  return spec.request.type == CollectiveType::all_reduce ? 2 * once : once;
}

TEST_P(Algorithms, AreRegisteredInTheOrderOfTheirRows) {
  const model::CollectiveAlgorithm& made = model::algorithm_of(GetParam().algorithm);
  EXPECT_EQ(made.peers() == Peers::in_switches, GetParam().by_switches);
  if (GetParam().window) {
    EXPECT_EQ(made.peers(), Peers::each);
  }
  if (made.peers() == Peers::exchange) {
    EXPECT_TRUE(GetParam().power_of_two);
  }
}

TEST_P(Algorithms, DeliverWhatTheCollectiveNeeds) {
  int tried = 0;
  for (const std::int64_t size : {2, 3, 4, 5, 8, 16}) {
    const auto members = static_cast<std::uint32_t>(size);
    for (const std::int64_t window : windows()) {
      const Platform on = machine({size}, Block::switched, {GetParam().algorithm, window});
      for (const CollectiveType type : types(size)) {
        const PhaseSpec spec = phase(on, type, members);
        ++tried;
        if (spec.peers == Peers::in_switches) {  // all have come; SwitchTree does the rest
          EXPECT_GT(spec.step.front().bytes, 0);
          continue;
        }
        if (spec.peers == Peers::tree) {
          for (const bool max_tree : {true, false})
            EXPECT_EQ(up(max_tree ? members - 1 : 0, members, max_tree), all_of(members));
          std::int64_t sent = 0;
          for (std::uint32_t m = 0; m < members; ++m)
            sent += model::algorithm_of(spec.request.algorithm).messages(spec, m) *
                    spec.step.front().bytes;
          EXPECT_GE(sent, least_sent(spec) * size);
          continue;
        }
        const Heard heard = after_packets(spec);
        for (std::uint32_t m = 0; m < members; ++m)
          EXPECT_EQ(heard[m], all_of(members)) << name(type) << " of " << size << ", member " << m;
        EXPECT_GE(static_cast<std::int64_t>(spec.bytes_of(static_cast<std::uint32_t>(spec.steps))),
                  least_sent(spec))
            << name(type) << " of " << size;
      }
    }
  }
  EXPECT_GE(tried, 3);
}

// The closed form is the time of an idle network, and of members that begin together.
TEST_P(Algorithms, ClosedFormIsWhatASimulationTakes) {
  for (const Block block : blocks()) {
    for (const std::int64_t size : {2, 3, 4, 8}) {
      for (const std::int64_t window : windows()) {
        const Platform on = machine({size}, block, {GetParam().algorithm, window});
        const auto members = static_cast<std::uint32_t>(size);
        for (const CollectiveType type : types(size)) {
          const PhaseSpec spec = phase(on, type, members);
          const auto duration = model::uniform_duration(spec);
          if (!duration) continue;
          sim::Options options;
          options.closed_forms = false;
          const auto run = study::simulate_collectives(work(type, members), on, options);
          ASSERT_TRUE(run) << run.error().what;
          EXPECT_EQ(run->end.count(), *duration) << name(type) << " of " << size;
        }
      }
    }
  }
}

// … in any dimensions, joined or not, and with as few ranks as there are unlike ones.
TEST_P(Algorithms, FoldedAndByClosedFormIsMessageByMessage) {
  Tally tally;
  for (const Block block : blocks()) {
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{3}, {8}, {4, 2}, {2, 4, 2}, {3, 2}}) {
      const std::int64_t ranks =
          std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
      for (const bool joined : {false, true}) {
        if (joined && (!GetParam().joins || (GetParam().by_switches && sizes.size() > 1))) continue;
        const bool fits = std::all_of(sizes.begin(), sizes.end(),
                                      [](std::int64_t size) { return !types(size).empty(); });
        if (!joined && !fits) continue;
        Platform on = machine(sizes, block, {GetParam().algorithm, -1, joined});
        on.collectives.splits = 2;
        if (GetParam().all_reduce_only)
          on.collectives.optimization = platform::CollectiveOptimization::baseline;
        for (const CollectiveType type : types(ranks)) {
          const auto difference =
              compare(work(type, static_cast<std::uint32_t>(ranks)), on, all_ways(), tally);
          EXPECT_EQ(difference, "") << name(type) << " of " << ranks;
        }
      }
    }
  }
  EXPECT_GE(tally.cases, 8U);
  EXPECT_EQ(tally.refused + tally.stalled, 0U);
  if (model::algorithm_of(GetParam().algorithm).is_rotation_invariant()) {
    EXPECT_GT(tally.folded, 0U);
  }
}

TEST_P(Algorithms, TakeNoLessThanTheBound) {
  const auto in_network = GetParam().by_switches ? synthesis::SwitchCapability::reduces
                                                 : synthesis::SwitchCapability::forwards;
  for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{4}, {16}, {4, 4}}) {
    const std::int64_t ranks =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    Platform on = machine(sizes, Block::switched, {GetParam().algorithm});
    on.network = platform::NetworkModelKind::flow;
    if (GetParam().all_reduce_only)
      on.collectives.optimization = platform::CollectiveOptimization::baseline;
    for (const CollectiveType type : types(ranks)) {
      if (exchange(type) && sizes.size() > 1) continue;  // end points carry tokens then
      synthesis::BoundQuestion question{type, Bytes(kBytes)};
      question.in_network = in_network;
      question.exchange = exchange(type);
      const auto bound = synthesis::lower_bound_of(on, question);
      ASSERT_TRUE(bound) << bound.error().what;
      const auto run =
          study::simulate_collectives(work(type, static_cast<std::uint32_t>(ranks)), on, {});
      ASSERT_TRUE(run) << run.error().what;
      EXPECT_GE(run->end, bound->total) << name(type) << " of " << ranks;
      EXPECT_GT(bound->total, Time{});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Algorithms, testing::ValuesIn(platform::kAlgorithms),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace orrery::scale
