// SPDX-License-Identifier: Apache-2.0
//
// Changes as they are asked for, two and three at once: of whatever is drawn, a job stays a job,
// and what is said to be the same in any order is.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "draw.h"
#include "orrery/core/effort_testing.h"
#include "orrery/sim/simulate.h"
#include "orrery/study/whatif/changes/changes.h"

namespace orrery::property {
namespace {

using graph::NodeId;
using graph::Workload;
using workload::Spec;

/// Words and values of changes of work. Factors may come in any order.
std::string drawn_factor(Random& random) {
  const std::vector<std::string> names = {"kernels",  "communication", "copies", "host",
                                          "launch",   "gaps",          "waits",  "gemm",
                                          "kernel:a", "named:embed",   "rank:0"};
  const std::vector<std::string> factors = {"0", "0.5", "1.7", "3"};
  return names[random() % names.size()] + "=" + factors[random() % factors.size()];
}

std::string drawn_change(Random& random) {
  switch (random() % 9) {
    case 0:
      return "overlap=none";
    case 1:
      return "syncs=none";
    case 2:
      return "fusion=elementwise";
    case 3:
      return "stragglers=none";
    case 4:
      return "variability=0." + std::to_string(random() % 5);
    case 5:
      return "layers=" + std::to_string(1 + random() % 24);
    case 6:
      return "microbatches=" + std::to_string(1 + random() % 12);
    default:
      return drawn_factor(random);
  }
}

/// What one is not about that is there already.
std::vector<study::Change> drawn_changes(Random& random, bool factors) {
  std::vector<study::Change> made;
  for (std::uint64_t left = 2 + random() % 2; left > 0; --left) {
    const auto change = study::parse_change(factors ? drawn_factor(random) : drawn_change(random));
    EXPECT_TRUE(change.has_value());
    made.push_back(*change);
    if (!study::check_compatible(made)) made.pop_back();
  }
  return made;
}

std::string text_of(const std::vector<study::Change>& changes) {
  std::vector<std::string> texts;
  for (const study::Change& change : changes) texts.push_back(change.text);
  return fmt::format("{}", fmt::join(texts, " "));
}

/// A recorded job with something to repeat; nothing where layers do not go into stages.
std::optional<Workload> drawn_recording(Random& random, Spec& spec) {
  spec = draw_legal(random, 6);
  if (spec.model.layers > 1 && random() % 2 == 0) spec.model.layers *= 4;
  Findings findings;
  const auto program = workload::assemble(spec, findings);
  if (!program) return std::nullopt;
  const auto job = workload::to_workload(*program);
  EXPECT_TRUE(job.has_value());
  return recording_of(*job, random);
}

Result<sim::SimResult> played(const Workload& job) {
  return sim::simulate(job, cluster(job.rank_count(), 1e9, 500));
}

void expect_same_nodes(const Workload& was, const Workload& is, const std::string& what) {
  ASSERT_EQ(was.rank_count(), is.rank_count()) << what;
  for (std::uint32_t rank = 0; rank < was.rank_count(); ++rank) {
    const graph::Graph &a = was.graph(rank), &b = is.graph(rank);
    ASSERT_EQ(a.size(), b.size()) << what;
    for (NodeId n = 0; n < a.size(); ++n) {
      ASSERT_EQ(a.kind(n), b.kind(n)) << what;
      ASSERT_EQ(a.name(n), b.name(n)) << what;
    }
  }
}

TEST(ComposedEdits, AJobStaysAJob) {
  const int cases = core_testing::case_count(2000, 160);
  int made = 0, refused = 0, stalled = 0, contradicting = 0;
  for (std::uint64_t seed = 0; made < cases; ++seed) {
    Random random(seed);
    Spec spec;
    const auto job = drawn_recording(random, spec);
    if (!job) continue;
    std::vector<study::Change> changes = drawn_changes(random, false);
    const std::string what = fmt::format("{} {}: {}", seed, describe(spec), text_of(changes));
    Findings findings;
    const auto shaped = study::with_structure(*job, changes, {}, findings);
    if (!shaped) {
      ++refused;
      continue;
    }
    const auto before = played(*shaped);
    ASSERT_TRUE(before.has_value()) << what << to_string(before.error());
    if (before->stall) {  // what repeats was not told right, and the answer says so
      ++stalled;
      continue;
    }
    const auto changed = study::with_changes(*shaped, changes, false, findings);
    ASSERT_TRUE(changed.has_value()) << what;
    expect_same_nodes(*shaped, *changed, what);
    const auto result = played(*changed);
    ASSERT_TRUE(result.has_value()) << what << to_string(result.error());
    EXPECT_EQ(result->findings.count(FindingCode::unmatched_send), 0u) << what;
    ++made;
    const bool in_turns = what.find("overlap=none") != std::string::npos;
    if (result->stall && in_turns && spec.parallel.pp > 1) {
      ++contradicting;  // stages whose orders of launching contradict each other
      continue;
    }
    EXPECT_FALSE(result->stall.has_value()) << what;
  }
  RecordProperty("refused", refused);
  RecordProperty("stalled", stalled);
  RecordProperty("contradicting", contradicting);
  EXPECT_LT(refused, cases * 3 / 4);
  EXPECT_LT(stalled, cases / 50);
  EXPECT_LT(contradicting, cases / 20);
}

TEST(ComposedEdits, FactorsComeInAnyOrder) {
  const int cases = core_testing::case_count(200, 50);
  int tried = 0;
  for (std::uint64_t seed = 0; tried < cases; ++seed) {
    Random random(seed);
    Spec spec;
    const auto job = drawn_recording(random, spec);
    if (!job) continue;
    std::vector<study::Change> changes = drawn_changes(random, true);
    const std::string what = fmt::format("{} {}: {}", seed, describe(spec), text_of(changes));
    Findings findings;
    const auto one = study::with_changes(*job, changes, false, findings);
    std::reverse(changes.begin(), changes.end());
    const auto other = study::with_changes(*job, changes, false, findings);
    ASSERT_TRUE(one && other) << what;
    const auto first = played(*one), second = played(*other);
    ASSERT_TRUE(first && second) << what;
    std::size_t nodes = 0;
    for (const auto& graph : one->graphs) nodes += graph->size();
    const double a = static_cast<double>(first->end.count());
    const double b = static_cast<double>(second->end.count());
    EXPECT_NEAR(a, b, 10.0 * static_cast<double>(nodes) + 1e-6 * a) << what;  // whole picoseconds
    ++tried;
  }
}

}  // namespace
}  // namespace orrery::property
