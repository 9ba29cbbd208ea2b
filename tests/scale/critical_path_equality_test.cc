// SPDX-License-Identifier: Apache-2.0
//
// The critical path of a run is the same whether the run was kept, every rank of it, or not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/record/make_run.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "random_case.h"
#include "simulation_options.h"

namespace orrery::scale {
namespace {

std::string words(const analysis::PathDigest& path) {
  return fmt::format("compute {}, comm {}, memory {}, wait {}, {} nodes of {} ranks",
                     path.compute.count(), path.comm.count(), path.memory.count(),
                     path.wait.count(), path.nodes, path.ranks);
}

/// Nobody follows into a collective over some dimensions of its group, nor to a receiver that
/// announces itself, where when they did was not recorded.
bool can_be_followed(const Case& drawn) {
  if (drawn.platform.collectives.rendezvous) return false;
  for (const graph::GraphRef& graph : drawn.workload.graphs) {
    for (graph::NodeId node = 0; node < graph->size(); ++node)
      if (graph->has(node, graph::kHasDims)) return false;
  }
  return true;
}

Time length(const analysis::PathDigest& path) {
  return path.compute + path.comm + path.memory + path.wait;
}

TEST(Scale, TheCriticalPathIsThatOfTheRunThatIsKept) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 600, 120);
  std::uint64_t compared = 0, across = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const Case drawn = draw_case(seed);
    sim::Options options;
    const auto plain = sim::simulate(drawn.workload, drawn.platform, options);
    options.record = true;
    const auto retained = sim::simulate(drawn.workload, drawn.platform, options);
    if (!plain || !retained || plain->stall) continue;
    const result::Run run = record::make_run(drawn.workload, drawn.platform, *retained);
    const auto there = analysis::digest(run).path;
    const auto here = study::digest(plain->path, drawn.workload);
    EXPECT_TRUE(here.has_value() || !there) << "seed " << seed;
    if (!here || !there) continue;  // a step without length has no path
    EXPECT_EQ(length(*here), length(*there)) << "seed " << seed;
    if (!can_be_followed(drawn)) continue;
    ++compared;
    across += here->ranks > 1 ? 1 : 0;
    EXPECT_EQ(words(*here), words(*there)) << "seed " << seed;
  }
  fmt::print("paths: {} compared, {} of them across ranks\n", compared, across);
  if (cases < 120) return;
  EXPECT_GT(compared, cases / 2);
  EXPECT_GT(across, cases / 10);
}

}  // namespace
}  // namespace orrery::scale
