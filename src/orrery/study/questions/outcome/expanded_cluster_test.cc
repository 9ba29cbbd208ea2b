// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/expanded_cluster.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {
namespace {

/// Four devices, each of which reads and writes 1 TB/s. `more` of the device.
Question job_on(const std::string& more) {
  Question question;
  question.job.model = "gpt2";
  question.job.global_batch = "16";
  question.job.seq = "1024";
  question.cluster = "four.yaml";
  question.cluster_text =
      "device: {name: d, peak: 100 TFLOP/s, memory_bandwidth: 1 TB/s, compute: roofline, " + more +
      "}\nnetwork: [{block: switch, size: 4, bandwidth: 100 GB/s, latency: 1 us}]\n";
  return question;
}

Outcome simulated(const std::string& more) {
  Watch ignored_watch;
  Findings findings;
  auto outcome = answer(job_on(more), ignored_watch, findings);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  return *std::move(outcome);
}

double held_bytes(const Outcome& outcome) {
  return static_cast<double>(outcome.job->fullest()->total());
}

TEST(Expanded, WhatDoesNotFitSlowsKernels) {
  const Outcome alone = simulated("memory_capacity: 1 GB");
  EXPECT_EQ(alone.findings.count(FindingCode::may_not_fit), 1u);
  const Outcome slow = simulated("memory_capacity: 1 GB, memory_expansion: {bandwidth: 100 GB/s}");
  EXPECT_EQ(slow.findings.count(FindingCode::may_not_fit), 0u) << "it is as much as is needed";
  EXPECT_GT(slow.result.ranks.last().compute.count(),
            alone.result.ranks.last().compute.count() * 3 / 2);
  const double share = expanded_share(*slow.inputs.load->program, slow.platform().device);
  EXPECT_DOUBLE_EQ(share, 1 - 1e9 / held_bytes(slow));
  // As if the device's own memory were as slow as both together.
  const double rate = 1 / ((1 - share) / 1e12 + share / 100e9);
  Question same = job_on("memory_capacity: 80 GB");
  const std::string given = "memory_bandwidth: 1 TB/s";
  same.cluster_text.replace(same.cluster_text.find(given), given.size(),
                            "memory_bandwidth: " + std::to_string(rate) + " B/s");
  Watch ignored_watch;
  Findings findings;
  const auto plain = answer(same, ignored_watch, findings);
  ASSERT_TRUE(plain) << to_string(plain.error());
  EXPECT_NEAR(seconds(plain->result.end), seconds(slow.result.end), 1e-9);
}

TEST(Expanded, WhatFitsIsAsItWas) {
  const Outcome alone = simulated("memory_capacity: 80 GB");
  const Outcome with = simulated("memory_capacity: 80 GB, memory_expansion: {bandwidth: 1 GB/s}");
  EXPECT_EQ(with.result.end, alone.result.end);
  const Outcome quick = simulated("memory_capacity: 1 GB, memory_expansion: {bandwidth: 1 TB/s}");
  EXPECT_EQ(quick.result.end, alone.result.end) << "as quick as its own";
}

TEST(Expanded, HasAnEndItself) {
  const Outcome outcome =
      simulated("memory_capacity: 1 GB, memory_expansion: {bandwidth: 100 GB/s, capacity: 500 MB}");
  EXPECT_EQ(outcome.findings.count(FindingCode::may_not_fit), 1u);
}

TEST(Expanded, IsToldWhereItDoesNothing) {
  Findings findings;
  auto cluster = std::make_shared<Cluster>();
  cluster->platform.device.expansion = platform::MemoryExpansion{Bandwidth(1e9), Bytes{}};
  EXPECT_EQ(with_expanded_memory(Load{}, cluster, findings), cluster);
  EXPECT_EQ(findings.count(FindingCode::key_without_effect), 1u);
}

}  // namespace
}  // namespace orrery::study
