// SPDX-License-Identifier: Apache-2.0
//
// A run file of messages that share links is the same, byte for byte, whether one rank of each
// class was recorded or every rank. ORRERY_SCALE_SEED and ORRERY_SCALE_CASES run others than the
// usual cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../property/draw.h"
#include "compared_recordings.h"
#include "orrery/sim/sim_testing.h"
#include "orrery/workload/program/program.h"
#include "random_case.h"
#include "random_fabrics.h"
#include "random_platforms.h"
#include "run_modes.h"

namespace orrery::scale {
namespace {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::NetworkModelKind;
using platform::Platform;
using platform::Rules;

// A network model whose messages share links, and rules that have it.
void share_links(Draw& draw, Platform& machine) {
  const bool can_be_astra = machine.fabric == nullptr;
  machine.rules = can_be_astra ? draw.of({Rules::orrery, Rules::astra}) : Rules::orrery;
  const bool flows = machine.rules == Rules::orrery && draw.one_in(2);
  machine.network = flows ? NetworkModelKind::flow : NetworkModelKind::message;
}

void set_algorithms(Draw& draw, Platform& machine) {
  machine.collectives.library = platform::CollectiveLibrary::ideal;
  for (auto* plan : machine.collectives.plans())
    plan->per_dim = {{draw.of({Algorithm::ring, Algorithm::direct}), -1, machine.dims.size() > 1}};
}

// One switch, switches in two dimensions, a ring of switches, or a fabric.
Platform draw_shared(Draw& draw, std::int64_t ranks) {
  Platform machine = property::cluster(static_cast<std::uint64_t>(ranks), 1e9, 500);
  if (draw.one_in(2)) {
    const platform::Device device = machine.device;
    machine = draw_fabric(draw, ranks).platform;
    machine.device = device;
    set_algorithms(draw, machine);
  } else if (ranks % 2 == 0 && draw.one_in(2)) {
    platform::Dimension outer = machine.dims[0];
    machine.dims[0].size = 2;
    outer.size = ranks / 2;
    outer.block = draw.of({Block::ring, Block::switched, Block::fully_connected});
    outer.bandwidth = Bandwidth(draw.of({1e9, 3e8}));
    machine.dims.push_back(outer);
    for (auto* plan : machine.collectives.plans()) plan->per_dim.push_back(plan->per_dim[0]);
  }
  share_links(draw, machine);
  machine.collectives.splits = draw.of<std::int64_t>({1, 2, 4});
  machine.collectives.rendezvous = draw.one_in(6);
  return machine;
}

TEST(SharedRecordings, OfJobsAreTheSameFolded) {
  const Seeds seeds(500, 40);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    property::Random random(seed);
    const workload::Spec spec = property::draw_legal(random, 16);
    Findings findings;
    const auto program = workload::assemble(spec, findings);
    ASSERT_TRUE(program);
    const auto job = workload::to_workload(*program);
    ASSERT_TRUE(job);
    Draw draw(seed);
    const std::int64_t ranks = program->mesh.world();
    Case drawn{draw_shared(draw, ranks), *job};
    if (draw.one_in(4)) draw_deviations(draw, drawn.platform, static_cast<std::uint32_t>(ranks));
    compare_recordings(drawn, seed, fmt::format("seed {}\n{}", seed, property::describe(spec)),
                       counts);
  }
  fmt::print("recordings of jobs that share links: {} compared, {} folded\n", counts.compared,
             counts.folded);
  seeds.expect_more(counts.folded, seeds.count / 4);
}

// Any workload and machine, and a mode.
TEST(SharedRecordings, OfRandomCasesAreTheSameFolded) {
  const Seeds seeds(1000, 120);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    drawn.platform.rules = draw.of({Rules::orrery, Rules::astra});
    const auto mode = static_cast<Mode>(seed % kModes);
    if (mode != Mode::table && mode != Mode::fluid) put_upon(mode, draw, drawn);
    if (draw.one_in(3)) put_upon(Mode::fabric, draw, drawn);
    if (drawn.platform.network == NetworkModelKind::analytical) {
      const bool flows = drawn.platform.rules == Rules::orrery && draw.one_in(2);
      drawn.platform.network = flows ? NetworkModelKind::flow : NetworkModelKind::message;
    }
    compare_recordings(drawn, seed, fmt::format("seed {}, {}", seed, name(mode)), counts);
  }
  fmt::print("recordings of shared links: {} compared, {} folded\n", counts.compared,
             counts.folded);
  seeds.expect_more(counts.folded, seeds.count / 8);
}

// The same collective on every rank, so that messages of all of them meet.
TEST(SharedRecordings, OfCollectivesAreTheSameFolded) {
  const Seeds seeds(600, 80);
  RecordingCounts counts;
  for (std::uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Draw draw(seed);
    Case drawn;
    if (draw.one_in(2)) {
      auto [text, machine] = draw_fabric(draw, draw.of<std::int64_t>({8, 16, 24, 32}));
      ASSERT_FALSE(machine.dims.empty()) << text;
      drawn.platform = std::move(machine);
      set_algorithms(draw, drawn.platform);
    } else {
      drawn.platform = draw_machine(draw);
    }
    share_links(draw, drawn.platform);
    sim::testing::Rank rank;
    rank.coll(draw.of({CollectiveType::all_reduce, CollectiveType::all_gather,
                       CollectiveType::reduce_scatter, CollectiveType::all_to_all}),
              draw.of<std::int64_t>({1 << 20, 1000, 0x55555}));
    drawn.workload =
        sim::testing::replicated(rank, static_cast<std::uint32_t>(drawn.platform.npu_count()));
    compare_recordings(drawn, seed, fmt::format("seed {}", seed), counts);
  }
  fmt::print("recordings of collectives on shared links: {} compared, {} folded\n", counts.compared,
             counts.folded);
  seeds.expect_more(counts.folded, seeds.count / 3);
}

// Too many links to list: a recording has one entry for each dimension. Links of both dimensions
// are equivalent to each other.
TEST(SharedRecordings, OfManyLinksAreTheSameFolded) {
  for (const bool flows : {false, true}) {
    Case drawn{property::cluster(257 * 2, 1e9, 500), {}};
    Platform& machine = drawn.platform;
    machine.network = flows ? NetworkModelKind::flow : NetworkModelKind::message;
    machine.dims[0].block = Block::fully_connected;
    machine.dims[0].size = 257;
    machine.dims.push_back({Block::ring, 2, machine.dims[0].bandwidth, 500});
    machine.collectives.all_reduce.per_dim = {{Algorithm::direct, -1}, {Algorithm::ring, -1}};
    sim::testing::Rank rank;
    rank.coll(CollectiveType::all_reduce, 1 << 20);
    drawn.workload = sim::testing::replicated(rank, 514);
    RecordingCounts counts;
    compare_recordings(drawn, 0, flows ? "flow" : "message", counts);
    EXPECT_EQ(counts.folded, 1u);
  }
}

}  // namespace
}  // namespace orrery::scale
