// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/chunk_chooser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/graph/builder.h"
#include "orrery/model/collective/chunk_bound.h"
#include "orrery/sim/collectives/chunks/phase_probe.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::InterDimension;
using platform::IntraDimension;

constexpr std::int64_t kSize = std::int64_t{1} << 30;

graph::Workload one_collective_of(CollectiveType type, std::int64_t size, std::int64_t ranks) {
  graph::GraphBuilder builder("one", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.type = type;
  node.collective.size = Bytes(size);
  builder.add(node);
  Findings findings;
  graph::Workload workload;
  workload.graphs.push_back(
      std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
  workload.graph_of_rank.assign(static_cast<std::size_t>(ranks), 0);
  return workload;
}

void set_algorithms(platform::Platform& platform) {
  auto& config = platform.collectives;
  config.policy = platform::SchedulingPolicy::fifo;
  config.all_reduce.per_dim.clear();
  for (const platform::Dimension& dim : platform.dims) {
    const bool power = (dim.size & (dim.size - 1)) == 0;
    config.all_reduce.per_dim.push_back(dim.block == Block::fully_connected
                                            ? platform::AlgorithmSpec{Algorithm::direct, -1}
                                        : dim.block == Block::switched && power
                                            ? platform::AlgorithmSpec{Algorithm::halving_doubling}
                                            : platform::AlgorithmSpec{Algorithm::ring});
  }
  config.all_gather = config.reduce_scatter = config.all_reduce;
}

platform::Platform switches_of(const std::vector<std::int64_t>& sizes,
                               const std::vector<double>& ports) {
  platform::Platform platform;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    platform.dims.push_back({Block::switched, sizes[d], Bandwidth(ports[d] * 1e9), 10});
  set_algorithms(platform);
  platform.collectives.inter_dimension = InterDimension::best;
  platform.collectives.intra_dimension = IntraDimension::smallest_first;
  platform.collectives.splits_by_model = true;
  return platform;
}

SimResult result_of(const platform::Platform& platform, CollectiveType type, std::int64_t size) {
  Options options;
  options.fold = true;
  auto made = simulate(one_collective_of(type, size, platform.npu_count()), platform, options);
  EXPECT_TRUE(made.has_value());
  return made ? *std::move(made) : SimResult{};
}

// A collective alone takes just what the model says.
TEST(ChunkChooser, TheEngineDoesWhatTheModelSays) {
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    const std::int64_t size = type == CollectiveType::all_gather ? kSize / 64 : kSize;
    const SimResult result = result_of(switches_of({4, 4, 4}, {300, 100, 50}), type, size);
    ASSERT_EQ(result.chunk_choices.size(), 1U);
    const ChunkChoice& choice = result.chunk_choices.front();
    EXPECT_EQ(choice.bytes, Bytes(kSize));
    EXPECT_EQ(choice.time, result.end) << choice.type;
    EXPECT_LE(choice.bound, result.end);
    EXPECT_LE(static_cast<double>(result.end.count()),
              static_cast<double>(choice.bound.count()) * 1.02)
        << choice.type;
  }
}

// What is remembered of chunks: a phase in each dimension there and back, in each queue one at a
// time, the last at the end.
TEST(ChunkChooser, ARecordingHasThePhasesOfChunks) {
  auto platform = switches_of({4, 4}, {300, 100});
  platform.collectives.inter_dimension = InterDimension::ascending;
  platform.collectives.splits = 3;
  for (const bool fold : {true, false}) {
    Options options;
    options.fold = fold;
    options.record = options.record_chunks = true;
    const auto made =
        simulate(one_collective_of(CollectiveType::all_reduce, kSize, 16), platform, options);
    ASSERT_TRUE(made && made->recording != nullptr);
    const auto& phases = made->recording->chunk_phases;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> busy;
    std::int64_t last = 0;
    for (const ChunkPhase& phase : phases) {
      EXPECT_LT(phase.begin, phase.end);
      EXPECT_EQ(phase.node, 0U);
      std::int64_t& until = busy[{phase.rank, phase.queue}];
      EXPECT_GE(phase.begin, until);
      until = phase.end;
      EXPECT_GE(phase.end, last);
      last = phase.end;
    }
    EXPECT_EQ(last, made->end.count());
    EXPECT_EQ(busy.size() % 2, 0U);  // ranks that were simulated x dimensions
    EXPECT_EQ(phases.size(), busy.size() / 2 * 3 * 4) << fold;
    options.record_chunks = false;
    EXPECT_TRUE(
        simulate(one_collective_of(CollectiveType::all_reduce, kSize, 16), platform, options)
            ->recording->chunk_phases.empty());
  }
}

TEST(ChunkChooser, SmallCollectivesAreNotCut) {
  const SimResult result = result_of(switches_of({8}, {100}), CollectiveType::all_reduce, 1 << 10);
  ASSERT_EQ(result.chunk_choices.size(), 1U);
  EXPECT_EQ(result.chunk_choices.front().chunks, 1U);
}

TEST(ChunkChooser, ChoosesAgainTheSame) {
  const auto platform = switches_of({2, 8, 4}, {200, 100, 50});
  const auto once = result_of(platform, CollectiveType::all_reduce, kSize);
  const auto again = result_of(platform, CollectiveType::all_reduce, kSize);
  EXPECT_EQ(once.chunk_choices, again.chunk_choices);
  EXPECT_EQ(once.end, again.end);
}

TEST(ChunkChooser, CountsChunksForOtherOrders) {
  auto platform = switches_of({8, 8}, {100, 50});
  for (const InterDimension order : {InterDimension::ascending, InterDimension::round_robin,
                                     InterDimension::themis, InterDimension::themis_published}) {
    platform.collectives.inter_dimension = order;
    platform.collectives.splits_by_model = true;
    const SimResult chosen = result_of(platform, CollectiveType::all_reduce, kSize);
    ASSERT_EQ(chosen.chunk_choices.size(), 1U);
    EXPECT_EQ(chosen.chunk_choices.front().time, chosen.end);
    platform.collectives.splits_by_model = false;
    for (const std::int64_t chunks : {1, 4, 16, 64, 256}) {
      platform.collectives.splits = chunks;
      const SimResult other = result_of(platform, CollectiveType::all_reduce, kSize);
      EXPECT_TRUE(other.chunk_choices.empty());
      EXPECT_LE(static_cast<double>(chosen.end.count()),
                static_cast<double>(other.end.count()) * 1.0011);
    }
  }
}

TEST(ChunkChooser, ChoosesNothingUnderAstraRules) {
  auto platform = switches_of({4, 4}, {100, 100});
  platform.rules = platform::Rules::astra;
  EXPECT_FALSE(ChunkChooser(platform).is_requested());
}

// Where links are shared phases are tried: direct exchanges share a port, and alone they would look
// four times as fast.
TEST(ChunkChooser, TriesPhasesWhereLinksAreShared) {
  auto platform = switches_of({4, 4}, {100, 100});
  const platform::AlgorithmSpec direct{Algorithm::direct, -1};
  platform.network = platform::NetworkModelKind::flow;
  const auto shared = probe_phase(platform, CollectiveType::reduce_scatter, 1, direct);
  ASSERT_TRUE(shared.has_value());
  EXPECT_NEAR(shared->per_byte, 10, 1e-3);  // of a port of 100 GB/s
  platform.network = platform::NetworkModelKind::analytical;
  const auto alone = probe_phase(platform, CollectiveType::reduce_scatter, 1, direct);
  ASSERT_TRUE(alone.has_value());
  EXPECT_NEAR(alone->per_byte, 10.0 / 3, 1e-3);

  platform.network = platform::NetworkModelKind::flow;
  platform.collectives.all_reduce.per_dim.assign(2, direct);
  const SimResult result = result_of(platform, CollectiveType::all_reduce, kSize);
  ASSERT_EQ(result.chunk_choices.size(), 1U);
  EXPECT_NEAR(static_cast<double>(result.chunk_choices.front().time.count()),
              static_cast<double>(result.end.count()),
              static_cast<double>(result.end.count()) * 0.02);
}

// Switches that sum do an all-reduce at once.
TEST(ChunkChooser, LeavesSwitchesThatSumAlone) {
  auto platform = switches_of({4, 4}, {100, 100});
  platform.dims[1].in_network = platform::InNetwork{};
  platform.collectives.all_reduce.per_dim[1] = {Algorithm::in_network, -1};
  EXPECT_TRUE(result_of(platform, CollectiveType::all_reduce, kSize).chunk_choices.empty());
}

/// The same numbers every time, by what was drawn before.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(mix_bits(seed)) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    state_ = mix_bits(state_);
    return least + static_cast<std::int64_t>(state_ % static_cast<std::uint64_t>(most - least + 1));
  }
  template <class T>
  T of(std::initializer_list<T> all) {
    return *(all.begin() + between(0, static_cast<std::int64_t>(all.size()) - 1));
  }

 private:
  std::uint64_t state_;
};

platform::Platform drawn_platform(Draw& draw) {
  platform::Platform platform;
  const std::int64_t dims = draw.between(1, 5);
  std::int64_t ranks = 1;
  for (std::int64_t d = 0; d < dims; ++d) {
    const std::int64_t most = std::clamp<std::int64_t>(512 / ranks, 2, 8);
    const std::int64_t size = draw.between(2, most);
    ranks *= size;
    const auto block = draw.of({Block::ring, Block::fully_connected, Block::switched});
    platform.dims.push_back({block, size,
                             Bandwidth(static_cast<double>(draw.between(1, 400)) * 1e9),
                             static_cast<double>(draw.between(0, 3000))});
  }
  set_algorithms(platform);
  auto& config = platform.collectives;
  config.endpoint_delay = ns(draw.of({0, 10, 1000}));
  config.splits = draw.between(1, 32);
  config.active_chunks = draw.between(1, 3);
  config.queues_per_dim = draw.between(1, 2);
  config.splits_by_model = draw.between(0, 2) == 0;
  config.inter_dimension = draw.of({InterDimension::ascending, InterDimension::round_robin,
                                    InterDimension::themis, InterDimension::themis_flex,
                                    InterDimension::themis_published, InterDimension::best});
  config.intra_dimension =
      draw.of({IntraDimension::fifo, IntraDimension::rg, IntraDimension::smallest_first,
               IntraDimension::less_remaining_phases_first});
  if (draw.between(0, 2) == 0)
    platform.device.memory = Bandwidth(static_cast<double>(draw.between(50, 4000)) * 1e9);
  return platform;
}

// 500 platforms: nothing that is simulated is below the bound, and what is chosen takes as long as
// the model says.
TEST(ChunkChooser, NothingIsBelowTheBound) {
  int chosen = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draw draw(seed);
    const platform::Platform platform = drawn_platform(draw);
    const auto type = draw.of(
        {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter});
    const std::int64_t size = std::int64_t{1} << draw.between(0, 28);
    const model::MultiDimFabric fabric(platform);
    const auto topology =
        *model::system_topology(platform.collectives.plan(type)->per_dim, fabric, type, ~0U);
    const ChunkCosts ways(platform, fabric, topology, type);
    ASSERT_TRUE(ways.known()) << seed;
    const auto members = static_cast<std::uint32_t>(platform.npu_count());
    const std::int64_t whole = graph::full_buffer(type, Bytes(size), members).count();
    const auto bound = model::chunk_bound(type, whole, ways.costs());
    ASSERT_TRUE(bound.has_value()) << seed;
    const SimResult made = result_of(platform, type, size);
    ASSERT_FALSE(made.stall) << seed;
    EXPECT_LE(bound->time, made.end) << seed;
    for (const ChunkChoice& choice : made.chunk_choices) {
      ++chosen;
      EXPECT_EQ(choice.bound, bound->time) << seed;
      if (platform.collectives.inter_dimension == InterDimension::themis_flex) continue;
      EXPECT_EQ(choice.time, made.end) << seed;
    }
  }
  EXPECT_GT(chosen, 150);
}

}  // namespace
}  // namespace orrery::sim
