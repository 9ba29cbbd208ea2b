// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/operator_times.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/study/kernels/steps/step_kernels.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/workload/program/kernel_count.h"

namespace orrery::study {
namespace {

struct Job {
  Cluster cluster;
  workload::Program program;
};

Job built_job(std::vector<std::string> set) {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "128";
  question.job.set = std::move(set);
  question.cluster = "h100-sxm:8";
  Findings findings;
  auto cluster = read_cluster(question, findings);
  EXPECT_TRUE(cluster);
  auto program = assemble(question.job, {8, "h100-sxm:8"}, findings);
  EXPECT_TRUE(program);
  return {*std::move(cluster), *std::move(program)};
}

TEST(OperatorTimes, SumToTheKernelsOfARank) {
  for (const char* plan : {"parallel.tp=2", "parallel.pp=4", "recompute.kind=full"}) {
    const Job one = built_job({plan});
    Time kernels{}, operators{};
    for (const StepKernel& kernel : step_kernels(one.program, one.cluster).kernels)
      kernels += Time(kernel.each->time.count() * static_cast<std::int64_t>(kernel.nodes));
    for (const OperatorTime& time : operator_times(one.program, one.cluster))
      operators += time.by_role[0];
    EXPECT_EQ(operators, kernels) << plan;
  }
}

TEST(OperatorTimes, AreMeansAndMaximaOverRanks) {
  const Job one = built_job({"parallel.pp=4"});
  const auto times = operator_times(one.program, one.cluster);
  const auto is_logits = [](const OperatorTime& time) { return time.name == "logits"; };
  const Time most = most_time(times, is_logits);
  EXPECT_GT(most, Time{});
  Time mean{};
  for (const OperatorTime& time : times)
    if (is_logits(time)) mean += time.mean;
  EXPECT_NEAR(static_cast<double>(mean.count()), static_cast<double>(most.count()) / 4, 4)
      << "one of four stages computes logits";
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end(),
                             [](const auto& a, const auto& b) { return a.mean > b.mean; }));
}

TEST(OperatorTimes, SeparateRecomputation) {
  const auto recomputed = [](std::vector<std::string> set) {
    const Job one = built_job(std::move(set));
    Time sum{};
    for (const OperatorTime& time : operator_times(one.program, one.cluster))
      if (time.phase == workload::Phase::recompute) sum += time.mean;
    return sum;
  };
  EXPECT_EQ(recomputed({"recompute.kind=none"}), Time{});
  EXPECT_GT(recomputed({"recompute.kind=full"}), Time{});
}

TEST(Operators, AreNamedUpToADotOrABlank) {
  EXPECT_EQ(workload::operator_of("mlp_up.dgrad L3 mb0"), "mlp_up");
  EXPECT_EQ(workload::operator_of("mlp_up L3"), "mlp_up");
  EXPECT_EQ(workload::operator_of("mlp_up"), "mlp_up");
  const Job one = built_job({});
  const auto names = operators_of(one.program);
  EXPECT_EQ(std::count(names.begin(), names.end(), "mlp_up"), 1);
  EXPECT_GE(kernels_of_operator(one.program, "mlp_up").size(), 3u) << "forward, and both gradients";
  EXPECT_TRUE(kernels_of_operator(one.program, "mlp").empty());
}

}  // namespace
}  // namespace orrery::study
