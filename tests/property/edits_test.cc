// SPDX-License-Identifier: Apache-2.0
//
// Whatever is changed in a job, it stays a job: no circle, no node lost, no message without its
// other half, and it ends.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/graph/reshape/reshape.h"
#include "orrery/graph/stragglers/rank_variation.h"
#include "orrery/graph/transform/dependency_edits.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/graph/transform/graph_draft.h"
#include "orrery/sim/simulate.h"

namespace orrery::property {
namespace {

using namespace workload;
using graph::Graph;
using graph::GraphRef;
using graph::NodeId;
using graph::Workload;

GraphRef made_of(Result<GraphRef> reordered) {
  RC_ASSERT(reordered.has_value());
  return *reordered;
}

Workload edited(const Workload& job, Random& random, const graph::DraftTables& tables) {
  const double factor = static_cast<double>(random() % 300) / 100;
  const auto of = static_cast<graph::WorkKind>(random() % graph::kWorkKinds);
  switch (random() % 7) {
    case 0:
      return graph::with_graphs(job, [&](const Graph& graph) {
        return graph::scale_durations(graph, {.kind = of}, factor);
      });
    case 1:
      return graph::with_graphs(job, [&](const Graph& graph) {
        return graph::scale_lags(graph, static_cast<graph::LagKind>(random() % 3), factor);
      });
    case 2:
      return graph::with_graphs(job, [&](const Graph& graph) {
        return made_of(graph::without_syncs(graph, "", tables));
      });
    case 3:
      return graph::with_graphs(job, [](const Graph& g) { return graph::fuse_elementwise(g); });
    case 4:
      return graph::without_stragglers(job);
    case 5:
      return graph::with_random_factors(job, factor / 10, random());
    default:
      return graph::with_graphs_of(
          job, {static_cast<std::uint32_t>(random() % job.rank_count())}, [&](const Graph& graph) {
            return graph::scale_durations(graph, {.kind = graph::WorkKind::kernels}, factor);
          });
  }
}

void check_same_nodes(const Workload& job, const Workload& other) {
  RC_ASSERT(job.rank_count() == other.rank_count());
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const Graph& a = job.graph(rank);
    const Graph& b = other.graph(rank);
    RC_ASSERT(a.size() == b.size());
    for (NodeId n = 0; n < a.size(); ++n) {
      RC_ASSERT(a.id(n) == b.id(n));
      RC_ASSERT(a.kind(n) == b.kind(n));
      RC_ASSERT(a.name(n) == b.name(n));
    }
  }
}

void check_comes_to_its_end(const Workload& job) {
  const auto result = sim::simulate(job, cluster(job.rank_count(), 1e9, 500));
  RC_ASSERT(result.has_value());
  RC_ASSERT(!result->stall.has_value());
  RC_ASSERT(result->findings.count(FindingCode::unmatched_send) == 0u);
  for (const sim::RankResult& rank : result->ranks) RC_ASSERT(rank.finish.has_value());
}

// 100 × 20 jobs with full effort, with one to three changes each.
TEST(Edits, AJobStaysAJob) {
  EXPECT_TRUE(rc::check("edits keep nodes, and the job ends", [](std::uint64_t seed) {
    Random random(seed);
    const graph::DraftTables tables;
    for (int i = 0; i < core_testing::case_count(20, 4); ++i) {
      const Spec spec = draw_legal(random, 6);
      RC_LOG() << describe(spec);
      Findings findings;
      const auto program = assemble(spec, findings);
      RC_ASSERT(program.has_value());
      const auto job = to_workload(*program);
      RC_ASSERT(job.has_value());
      const Workload recorded = recording_of(*job, random);
      Workload changed = recorded;
      for (std::uint64_t edits = 1 + random() % 3; edits > 0; --edits)
        changed = edited(changed, random, tables);
      check_same_nodes(recorded, changed);
      check_comes_to_its_end(changed);
    }
  }));
}

bool is_close(std::size_t a, std::size_t b) {
  const double ratio = static_cast<double>(a) / static_cast<double>(b);
  return ratio > 0.95 && ratio < 1.05;
}

// More or fewer layers or microbatches, of 1,000 jobs (with full effort) whatever they are. Where
// that is not refused, and what is found is what the job has (which people can see and correct), it
// is the other job but for buckets of gradients, or its ranks say that they wait for each other.
TEST(Edits, AReshapedJobIsTheOtherOneOrRefused) {
  int right = 0, stalled = 0, off = 0;
  const std::uint64_t cases = core_testing::case_count(1000u, 120u);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    Random random(seed);
    Spec spec = draw_legal(random, 6);
    if (spec.model.layers > 1) spec.model.layers *= 4;  // so that there is something to repeat
    Findings findings;
    const auto program = assemble(spec, findings);
    if (!program) continue;  // layers that do not go into stages
    const auto job = to_workload(*program);
    ASSERT_TRUE(job.has_value());
    graph::Shape shape;
    const auto number = static_cast<std::uint32_t>(2 + random() % 40);
    (random() % 2 == 0 ? shape.layers : shape.microbatches) = number;
    const Workload recorded = recording_of(*job, random);
    const auto made = graph::reshape(recorded, shape, {}, findings);
    const std::int64_t microbatches = spec.global_batch() / (spec.batch.micro * spec.parallel.dp);
    const graph::Shape found = graph::detect_shape(recorded);
    if (!made || found.layers != spec.model.layers || found.microbatches != microbatches) continue;
    if (shape.layers) {
      spec.model.layers = number;
    } else {
      spec.batch.global = spec.batch.micro * spec.parallel.dp * number;
    }
    const auto other = assemble(spec, findings);
    if (!other) continue;
    const auto real = to_workload(*other);
    ASSERT_TRUE(real.has_value());
    const auto result = sim::simulate(*made, cluster(made->rank_count(), 1e9, 500));
    ASSERT_TRUE(result.has_value());
    ++right;
    stalled += result->stall ? 1 : 0;
    if (result->stall) continue;
    bool close = true;
    for (std::uint32_t rank = 0; rank < real->rank_count(); ++rank)
      close = close && is_close(made->graph(rank).size(), real->graph(rank).size());
    off += close ? 0 : 1;
  }
  RecordProperty("right", right);
  EXPECT_GT(static_cast<std::uint64_t>(right), cases * 15 / 100);
  EXPECT_LT(stalled * 50, right) << stalled;
  EXPECT_LT(off * 100, right) << off;  // two directions of a dual pipe
}

// What a draft says is what the graph said that it was made of.
TEST(Edits, ADraftIsTheWholeGraph) {
  EXPECT_TRUE(rc::check("to a draft and back", [](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < core_testing::case_count(5, 2); ++i) {
      Findings findings;
      const auto program = assemble(draw_legal(random, 6), findings);
      RC_ASSERT(program.has_value());
      const auto job = to_workload(*program);
      RC_ASSERT(job.has_value());
      const graph::DraftTables tables;
      for (const GraphRef& graph : job->graphs) {
        const auto back = graph::GraphDraft(*graph, "", tables).finish(findings);
        RC_ASSERT(back.has_value());
        RC_ASSERT(back->content_hash() == graph->content_hash());
      }
    }
  }));
}

// Communication and computation take turns on every rank, and each rank's come in the order in
// which its nodes can run: jobs that do not contradict themselves end.
TEST(Edits, WithoutOverlapNothingRunsBesideCommunication) {
  EXPECT_TRUE(rc::check("takes turns", [](std::uint64_t seed) {
    Random random(seed);
    const graph::DraftTables tables;
    for (int i = 0; i < core_testing::case_count(5, 2); ++i) {
      Spec spec = draw_legal(random, 6);
      spec.parallel.pp = 1;
      Findings findings;
      const auto program = assemble(spec, findings);
      if (!program) continue;  // the plan needed its stages
      const auto job = to_workload(*program);
      RC_ASSERT(job.has_value());
      const Workload recorded = recording_of(*job, random);
      const Workload changed = graph::with_graphs(recorded, [&](const Graph& graph) {
        return made_of(graph::without_overlap(graph, "", tables));
      });
      check_same_nodes(recorded, changed);
      const auto result = sim::simulate(changed, cluster(changed.rank_count(), 1e9, 500));
      RC_ASSERT(result.has_value());
      RC_ASSERT(!result->stall.has_value());
      for (const sim::RankResult& rank : result->ranks) RC_ASSERT(rank.overlapped == Time{});
    }
  }));
}

}  // namespace
}  // namespace orrery::property
