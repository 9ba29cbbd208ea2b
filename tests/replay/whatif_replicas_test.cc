// SPDX-License-Identifier: Apache-2.0
//
// Traces of some replicas of a data-parallel job stand for all; and groups that nothing describes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "handmade_traces_testing.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WhatIfReplicas : public ByHand {
 protected:
  static Result<Answer> job(const std::string& model, const std::vector<std::string>& plan,
                            const std::string& cluster) {
    Question question;
    question.job.model = model;
    question.job.set = plan;
    question.cluster = cluster;
    return simulate(question);
  }

  static Time step(const std::string& model, const std::vector<std::string>& plan,
                   const std::string& cluster) {
    const auto answer = job(model, plan, cluster);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : to_string(answer.error()));
    return answer ? answer->step() : Time{};
  }

  /// Traces of the first `kept` ranks of a job; 0: of all.
  std::string traces(const std::string& model, const std::vector<std::string>& plan,
                     const std::string& cluster, std::uint32_t retained = 0) {
    const auto answer = job(model, plan, cluster);
    EXPECT_TRUE(answer.has_value()) << (answer ? "" : to_string(answer.error()));
    const std::string prefix = (folder_ / "w").string();
    if (!answer) return prefix;
    EXPECT_TRUE(write_chakra(*answer->outcome().inputs.load->program,
                             {.prefix = prefix, .overwrite = true}));
    for (std::uint32_t rank = retained; retained > 0 && rank < answer->ranks(); ++rank)
      fs::remove(fmt::format("{}.{}.et", prefix, rank));
    return prefix;
  }

  static Result<WhatIf> ask(const std::string& prefix, const std::string& cluster,
                            std::vector<std::string> changes = {}) {
    WhatIfQuestion question;
    question.base.workload = prefix;
    question.base.cluster = cluster;
    question.changes = std::move(changes);
    Watch watch;
    return what_if(question, watch);
  }

  static Result<WhatIf> ask_recorded(const std::vector<std::string>& paths,
                                     const std::string& cluster, bool replicate,
                                     std::vector<std::string> changes = {}) {
    WhatIfQuestion question;
    question.base.recorded.traces = paths;
    question.base.cluster = cluster;
    question.base.replicate = replicate;
    question.changes = std::move(changes);
    Watch watch;
    return what_if(question, watch);
  }

  /// One of several ranks: a kernel, an all-reduce beside the next, and one more kernel.
  std::string rank(int number, int length, const std::string& last = "adam") {
    return write(
        fmt::format("rank{}.json", number),
        {launch(0, 1), kernel("gemm", 7, 10, length, 1), launch(20, 2),
         all_reduce(9, 10 + length, 300, 2), launch(40, 3), kernel(last, 7, 400 + length, 100, 3)},
        number, 2);
  }
};

constexpr const char* kPictures = "resnet-50";

// No language model can be told from them: they stand for each other, and the larger job is the one
// that is generated with as many replicas.
TEST_F(WhatIfReplicas, SomeRanksTracesAreTheLargerJob) {
  const std::string prefix = traces(kPictures, {"parallel.dp=8"}, "h100-sxm:8", 4);
  const auto same = ask(prefix, "h100-sxm:8");
  ASSERT_TRUE(same.has_value()) << to_string(same.error());
  EXPECT_EQ(same->base.whole, step(kPictures, {"parallel.dp=8"}, "h100-sxm:8"));
  EXPECT_EQ(same->findings.count(FindingCode::replicas_in_turn), 1u);
  for (const int dp : {2, 8, 16, 64}) {
    const auto predicted = ask(prefix, "h100-sxm:8", {fmt::format("dp={}", dp)});
    ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
    EXPECT_EQ(predicted->answer->ranks(), static_cast<std::uint32_t>(dp));
    EXPECT_EQ(predicted->changed->whole,
              step(kPictures, {fmt::format("parallel.dp={}", dp)}, fmt::format("h100-sxm:{}", dp)))
        << dp;
  }
  // Other changes go with it.
  const auto slower = ask(prefix, "h100-sxm:8", {"dp=16", "bandwidth=0.5", "gpu=a100-80gb"});
  ASSERT_TRUE(slower.has_value()) << to_string(slower.error());
  EXPECT_GT(slower->changed->whole, step(kPictures, {"parallel.dp=16"}, "a100-80gb:16"));
}

TEST_F(WhatIfReplicas, WhatIsNoReplicaIsRefusedWithWhatIsWrong) {
  const auto refusal = [&](const std::vector<std::string>& plan, const char* model = kPictures) {
    const auto predicted = ask(traces(model, plan, "h100-sxm:8"), "h100-sxm:8", {"dp=16"});
    EXPECT_FALSE(predicted.has_value());
    return predicted ? "" : to_string(predicted.error());
  };
  EXPECT_THAT(refusal({"parallel.dp=8", "parallel.sharding=zero1"}),
              HasSubstr("rank 0 shards data over other ranks (reduce_scatter"));
  EXPECT_THAT(refusal({"parallel.dp=2", "parallel.pp=4"}, "vit-b-16"),
              HasSubstr("sends and receives"));
  EXPECT_THAT(refusal({"parallel.dp=4", "parallel.tp=2"}, "vit-b-16"),
              HasSubstr("communicates with 2 of 8 ranks"));
}

// Each takes its own times: the slower one is waited for, however many there are.
TEST_F(WhatIfReplicas, RecordedRanksGrowInTurn) {
  const std::vector<std::string> pair = {rank(0, 1000), rank(1, 1500)};
  const auto grown = ask_recorded(pair, "h100-sxm:2", false, {"dp=6"});
  ASSERT_TRUE(grown.has_value()) << to_string(grown.error());
  const Outcome& six = grown->answer->outcome();
  EXPECT_EQ(six.workload().rank_count(), 6u);
  for (std::uint32_t i = 0; i < 6; ++i)
    EXPECT_EQ(&six.workload().graph(i), &six.workload().graph(i % 2)) << i;
  EXPECT_NE(&six.workload().graph(0), &six.workload().graph(1));
  EXPECT_GE(grown->changed->whole, grown->base.whole);
  EXPECT_EQ(grown->findings.count(FindingCode::replicas_in_turn), 1u);

  const auto asked = ask_recorded(pair, "h100-sxm:6", true);
  ASSERT_TRUE(asked.has_value()) << to_string(asked.error());
  EXPECT_EQ(asked->base.whole, grown->changed->whole);
  const auto back = ask_recorded(pair, "h100-sxm:6", true, {"dp=2"});
  ASSERT_TRUE(back.has_value()) << to_string(back.error());
  EXPECT_EQ(back->changed->whole, grown->base.whole);
}

TEST_F(WhatIfReplicas, RecordedRanksThatDifferAreRefused) {
  const std::vector<std::string> pair = {rank(0, 1000), rank(1, 1000, "sgd")};
  for (const bool replicate : {false, true}) {
    const auto predicted =
        ask_recorded(pair, replicate ? "h100-sxm:4" : "h100-sxm:2", replicate,
                     replicate ? std::vector<std::string>{} : std::vector{std::string("dp=4")});
    ASSERT_FALSE(predicted.has_value());
    EXPECT_THAT(predicted.error().what, HasSubstr("rank 0 runs 1 kernels \"adam\", rank 1 runs 0"));
    EXPECT_THAT(predicted.error().hint, HasSubstr("--model"));
  }
}

// Without the file beside them, which says who is in which group.
TEST_F(WhatIfReplicas, GroupsAreToldByWhatRanksDoInThem) {
  const std::string prefix = traces(kPictures, {"parallel.dp=2"}, "h100-sxm:2");
  const auto described = ask(prefix, "h100-sxm:2");
  ASSERT_TRUE(described.has_value()) << to_string(described.error());
  ASSERT_TRUE(fs::remove(prefix + ".json"));
  const auto predicted = ask(prefix, "h100-sxm:2", {"bandwidth=2"});
  ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
  EXPECT_EQ(predicted->base.whole, described->base.whole);
  EXPECT_LT(predicted->changed->whole, predicted->base.whole);
  EXPECT_GT(predicted->findings.count(FindingCode::group_from_order), 0u);
}

}  // namespace
}  // namespace orrery::study
