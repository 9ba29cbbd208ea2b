// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/split_job.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::split_bandwidth {
namespace {

using testing::HasSubstr;

/// Two dimensions without latency; an all-reduce visits them one after another in one chunk.
SplitQuestion small_question(const std::string& more = "") {
  SplitQuestion asked;
  asked.question.cluster = "here.yaml";
  asked.question.cluster_text = R"(
device: {name: NPU, peak: 1000000 TFLOP/s, memory_bandwidth: 100000 TB/s}
network:
  - {block: fully_connected, size: 4, bandwidth: 20 GB/s, latency: 0 ns}
  - {block: switch, size: 8, bandwidth: 40 GB/s, latency: 0 ns}
collectives: {library: ideal}
)" + more;
  asked.question.job.texts = {{"job", R"(
model: {kind: decoder, name: small, layers: 2, hidden: 1024, heads: 8, vocab: 32000}
parallel: {tp: 4, dp: 8, overlap_gradients: false}
batch: {micro: 1, global: 8, seq: 512}
)"}};
  return asked;
}

SplitAnswer answer(const SplitQuestion& asked) {
  study::Watch ignored_watch;
  Findings findings;
  auto made = split_for_job(asked, ignored_watch, findings);
  EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
  return made ? *made : SplitAnswer{};
}

std::string why_not(const SplitQuestion& asked) {
  study::Watch ignored_watch;
  Findings findings;
  const auto made = split_for_job(asked, ignored_watch, findings);
  return made ? "it is one" : to_string(made.error());
}

// tp's bytes go over the first dimension only, dp's over the second: shares are as the square roots
// of what goes over each, and where nothing overlaps the engine's communication is the formula's.
TEST(SplitJob, IsByFormulaWhatTheEngineSaysWhereNothingOverlaps) {
  const SplitAnswer made = answer(small_question());
  EXPECT_EQ(made.problem.total.count(), 100e9);
  EXPECT_EQ(made.tried[SplitAnswer::now].bandwidth[0].count(), 60e9);
  double inner = 0, outer = 0;
  for (const CollectiveTraffic& demand : made.traffic.demands) {
    EXPECT_TRUE(demand.bytes[0] == 0 || demand.bytes[1] == 0);
    inner += demand.times * demand.bytes[0];
    outer += demand.times * demand.bytes[1];
  }
  EXPECT_NEAR(made.split.bandwidth[0].count() / made.split.bandwidth[1].count(),
              std::sqrt(inner / outer), 1e-4);
  for (const SplitTrial& tried : made.tried)
    EXPECT_NEAR(seconds(tried.exposed) / tried.seconds, 1, 1e-3);
  EXPECT_LT(made.tried[SplitAnswer::best].step, made.tried[SplitAnswer::equal].step);
  EXPECT_LT(made.tried[SplitAnswer::best].step, made.tried[SplitAnswer::now].step);
}

TEST(SplitJob, TheFileHasTheBestBandwidths) {
  const SplitAnswer made = answer(small_question());
  SplitQuestion again = small_question();
  again.question.cluster_text = made.file;
  const SplitAnswer other = answer(again);
  EXPECT_EQ(other.tried[SplitAnswer::now].step, made.tried[SplitAnswer::best].step);
  EXPECT_NEAR(other.tried[SplitAnswer::now].bandwidth[0].count(), made.split.bandwidth[0].count(),
              1);
}

TEST(SplitJob, CostMovesBandwidthToWhereItIsCheap) {
  SplitQuestion asked = small_question();
  asked.objective = SplitObjective::time_cost;
  asked.costs = {1, 1};
  const double equivalent = answer(asked).split.bandwidth[0].count();
  asked.costs = {1, 20};
  EXPECT_GT(answer(asked).split.bandwidth[0].count(), equivalent);
  EXPECT_GT(answer(asked).problem.fixed_seconds, 0);
}

TEST(SplitJob, KeepsWhatIsAskedFor) {
  SplitQuestion asked = small_question();
  asked.total = Bandwidth(200e9);
  asked.upper = {{0, Bandwidth(50e9)}};
  EXPECT_NEAR(answer(asked).split.bandwidth[1].count(), 150e9, 1e4);
  asked.upper.clear();
  asked.lower = {{2, Bandwidth(50e9)}};
  EXPECT_THAT(why_not(asked), HasSubstr("dimension 2: is not in the network"));
}

TEST(SplitJob, SaysWhatCannotBeSplit) {
  SplitQuestion asked = small_question();
  asked.question.cluster_text = R"(
device: h100-sxm
network: [{block: switch, size: 8, link: nvlink4}]
)";
  EXPECT_THAT(why_not(asked), HasSubstr("its network has only one dimension"));
}

}  // namespace
}  // namespace orrery::split_bandwidth
