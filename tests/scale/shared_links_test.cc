// SPDX-License-Identifier: Apache-2.0
//
// Messages that share links, on dimensions and on fabrics: one rank for all equivalent ones comes
// to what every rank comes to. ORRERY_SCALE_SEED and ORRERY_SCALE_CASES run others than the usual
// cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <string>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "random_case.h"
#include "random_fabrics.h"
#include "run_modes.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::NetworkModelKind;
using platform::Platform;
using platform::Rules;

const std::vector<Way> kFolded = {{true, false, false, 1}};

graph::Workload all_reduce(std::int64_t bytes, std::uint32_t ranks) {
  graph::GraphBuilder builder("all_reduce", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.type = CollectiveType::all_reduce;
  node.collective.size = Bytes(bytes);
  builder.add(node);
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  ORRERY_CHECK(graph.has_value());
  graph::Workload made;
  made.graphs = {std::make_shared<const graph::Graph>(*std::move(graph))};
  made.graph_of_rank.assign(ranks, 0);
  return made;
}

struct CollectiveCase {
  FabricMachine machine;
  graph::Workload work;
};

CollectiveCase draw_collective(std::uint64_t seed) {
  Draw draw(seed);
  const bool large = core_testing::full_effort() && seed % 10 == 0;
  const auto ranks = large ? 1024 : draw.of<std::int64_t>({8, 16, 24, 32, 64, 96});
  FabricMachine drawn = draw_fabric(draw, ranks);
  Platform& machine = drawn.platform;
  machine.network = draw.of({NetworkModelKind::message, NetworkModelKind::flow});
  platform::CollectiveConfig& config = machine.collectives;
  const bool even = std::has_single_bit(static_cast<std::uint64_t>(ranks));
  config.all_reduce.per_dim = {
      {draw.of({Algorithm::ring, large ? Algorithm::ring : Algorithm::direct,
                even ? Algorithm::halving_doubling : Algorithm::ring,
                even ? Algorithm::double_binary_tree : Algorithm::ring}),
       -1, machine.dims.size() > 1}};
  config.library = platform::CollectiveLibrary::ideal;
  config.splits = draw.of<std::int64_t>({1, 1, 2, 4});
  config.endpoint_delay = draw.of({ns(0), ns(10)});
  config.rendezvous = draw.one_in(6);
  auto work = all_reduce(draw.of<std::int64_t>({1 << 20, 1000, 0x5555555}),
                         static_cast<std::uint32_t>(ranks));
  return {std::move(drawn), std::move(work)};
}

void set_policy(Platform& machine, platform::RoutePolicy policy) {
  platform::Fabric fabric = *machine.fabric;
  fabric.routing.policy = policy;
  machine.fabric = std::make_shared<const platform::Fabric>(std::move(fabric));
}

TEST(SharedLinks, AllReducesOnFabricsComeToTheSame) {
  const Seeds seeds(300, 30);
  Tally tally;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    const auto [machine, work] = draw_collective(seed);
    ASSERT_FALSE(machine.platform.dims.empty()) << machine.text;
    EXPECT_EQ(compare(work, machine.platform, kFolded, tally), "")
        << "seed " << seed << ": " << machine.text;
  }
  print("all-reduces on fabrics", tally);
  seeds.expect_more(tally.folded, tally.cases / 4);
}

// The same fabrics: routes by destination are symmetric where hashed ones are not.
TEST(SharedLinks, AllReducesByDestinationComeToTheSame) {
  const Seeds seeds(300, 30);
  Tally tally, hashed;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    auto [machine, work] = draw_collective(seed);
    set_policy(machine.platform, platform::RoutePolicy::d_mod_k);
    EXPECT_EQ(compare(work, machine.platform, kFolded, tally), "")
        << "seed " << seed << ": " << machine.text;
    set_policy(machine.platform, platform::RoutePolicy::ecmp);
    EXPECT_EQ(compare(work, machine.platform, kFolded, hashed), "")
        << "seed " << seed << ": " << machine.text;
  }
  print("all-reduces by destination", tally);
  print("the same by a hash", hashed);
  seeds.expect_more(tally.folded, tally.cases / 2);
  seeds.expect_more(tally.folded, hashed.folded);
}

TEST(SharedLinks, WorkByDestinationComesToTheSame) {
  const Seeds seeds(1000, 60);
  Tally tally;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    put_upon(Mode::fabric, draw, drawn);
    if (drawn.platform.fabric == nullptr) continue;
    set_policy(drawn.platform, platform::RoutePolicy::d_mod_k);
    if (drawn.platform.network == NetworkModelKind::analytical)
      drawn.platform.network = NetworkModelKind::message;
    EXPECT_EQ(compare(drawn.workload, drawn.platform, kFolded, tally), "") << "seed " << seed;
  }
  print("work by destination", tally);
  seeds.expect_more(tally.folded, tally.cases / 8);
}

// Any work under either set of rules, with messages that wait for each other.
TEST(SharedLinks, WorkWhoseMessagesWaitComesToTheSame) {
  const Seeds seeds(1000, 120);
  Tally tally;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    drawn.platform.rules = draw.of({Rules::astra, Rules::orrery});
    if (draw.one_in(3)) put_upon(Mode::fabric, draw, drawn);
    drawn.platform.network = NetworkModelKind::message;
    EXPECT_EQ(compare(drawn.workload, drawn.platform, kFolded, tally), "") << "seed " << seed;
  }
  print("messages that wait", tally);
  seeds.expect_more(tally.folded, tally.cases / 8);
}

// The same collective on every rank, so that messages of all of them meet.
TEST(SharedLinks, CollectivesOnDimensionsComeToTheSame) {
  const Seeds seeds(1000, 120);
  Tally tally;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Draw draw(seed);
    Platform machine = draw_machine(draw);
    machine.rules = draw.of({Rules::astra, Rules::orrery});
    const bool flows = machine.rules == Rules::orrery && draw.one_in(2);
    machine.network = flows ? NetworkModelKind::flow : NetworkModelKind::message;
    const auto ranks = static_cast<std::uint32_t>(machine.npu_count());
    const auto work = all_reduce(draw.of<std::int64_t>({1 << 20, 1000, 0x5555555}), ranks);
    EXPECT_EQ(compare(work, machine, kFolded, tally), "") << "seed " << seed;
  }
  print("collectives on dimensions", tally);
  seeds.expect_more(tally.folded, tally.cases / 3);
}

}  // namespace
}  // namespace orrery::scale
