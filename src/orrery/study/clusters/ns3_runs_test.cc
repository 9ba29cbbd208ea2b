// SPDX-License-Identifier: Apache-2.0
//
// Runs with `--network ns3`. Those that need the plug-in are skipped where it was not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/paths_testing.h"
#include "orrery/core/system/module_file.h"
#include "orrery/network/ns3/ns3_plugin.h"
#include "orrery/study/study.h"
#include "orrery/study/whatif/network_check.h"

namespace orrery::study {
namespace {

using ::testing::HasSubstr;

bool is_installed() { return !module_file(model::kNs3PluginFile).empty(); }

std::string example_of(const std::string& path) {
  return std::string(core_testing::kSourceFolder) + "/examples/" + path;
}

Question on(const std::string& network, const std::string& workload, const std::string& cluster) {
  Question question;
  question.workload = workload;
  question.cluster = cluster;
  question.network = network;
  return question;
}

std::int64_t step_of(const Question& question) {
  const auto run = simulate(question);
  EXPECT_TRUE(run) << to_string(run.error());
  return run ? run->step().count() : 0;
}

std::string error_of(const Question& question) {
  const auto run = simulate(question);
  return run ? std::string() : to_string(run.error());
}

// Collectives and messages on switches and rings, also recorded, on two threads and not folded.
TEST(Ns3Runs, EqualRunsOfPackets) {
  if (!is_installed()) GTEST_SKIP() << "./setup ns3 and a new build: the plug-in is not there";
  for (const std::string& cluster :
       {std::string("h100-sxm:8"), example_of("clusters/dgx-h100-8.yaml")}) {
    const std::string job = example_of("astra/all_reduce");
    SCOPED_TRACE(cluster);
    const std::int64_t packets = step_of(on("packet", job, cluster));
    Question question = on("ns3", job, cluster);
    EXPECT_EQ(step_of(question), packets);
    question.record = true;
    question.work.threads = 2;
    EXPECT_EQ(step_of(question), packets);
    question.work.fold = "off";
    EXPECT_EQ(step_of(question), packets);
  }
  // A generated job, whose messages reach links at different times.
  Question job = on("packet", "", example_of("clusters/two-tiers-16.yaml"));
  job.job.model = "resnet-50";
  job.job.dp = "16";
  const std::int64_t packets = step_of(job);
  job.network = "ns3";
  EXPECT_EQ(step_of(job), packets);
}

// A check has a row for it, which is not the reference: it simulates what `packet` simulates.
TEST(Ns3Runs, ARowOfTheCheckWhereInstalled) {
  NetworkCheckQuestion question;
  question.base = on("", example_of("astra/all_reduce"), "h100-sxm:8");
  Watch watch;
  const auto made = check_networks(question, watch);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_TRUE(made->reference);
  EXPECT_EQ(made->networks[*made->reference].kind, NetworkModelKind::packet);
  const CheckedNetwork& last = made->networks.back();
  ASSERT_EQ(last.kind == NetworkModelKind::ns3, is_installed());
  if (is_installed()) {
    EXPECT_FALSE(last.error);
    EXPECT_EQ(last.step, made->networks[*made->reference].step);
    EXPECT_NE(made->networks[made->recommended.value()].kind, NetworkModelKind::ns3);
  }
}

TEST(Ns3Runs, WhatCannotRunIsRefused) {
  const std::string messages = example_of("messages/incast-flows.txt");
  EXPECT_THAT(error_of(on("ns3", messages, example_of("clusters/uet-fat-tree-16.yaml"))),
              HasSubstr("uet-fat-tree-16.yaml:/packets/transport: ns-3 does not model"));
  Question astra = on("ns3", example_of("astra/all_reduce"), "h100-sxm:8");
  astra.rules = "astra";
  EXPECT_THAT(error_of(astra), HasSubstr("ns3"));
  if (is_installed()) return;
  EXPECT_THAT(error_of(on("ns3", example_of("astra/all_reduce"), "h100-sxm:8")),
              HasSubstr("--network ns3: the plug-in for ns-3 is not installed"));
}

}  // namespace
}  // namespace orrery::study
