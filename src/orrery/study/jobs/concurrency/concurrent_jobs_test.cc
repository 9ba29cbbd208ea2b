// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "orrery/core/paths_testing.h"

namespace orrery::study {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kRoot = core_testing::kSourceFolder;

std::string wrong_with(const std::string& jobs) {
  const auto file = parse_concurrent_jobs("cluster: h100-sxm:8\njobs: [" + jobs + "]\n", "j.yaml");
  return file ? "" : to_string(file.error());
}

TEST(ConcurrentJobsFile, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(wrong_with("{name: a, job: x.yaml, devices: 8}"), "");
  EXPECT_THAT(wrong_with("{name: a/b, job: x.yaml, devices: 8}"), HasSubstr("j.yaml:/jobs/0/name"));
  EXPECT_THAT(wrong_with("{name: a, devices: 8}"), HasSubstr("has no job, workload or traces"));
  EXPECT_THAT(wrong_with("{name: a, job: x.yaml, workload: w, devices: 8}"),
              HasSubstr("more than one"));
  EXPECT_THAT(wrong_with("{name: a, job: x.yaml}"), HasSubstr("no number of devices"));
  EXPECT_THAT(wrong_with("{name: a, job: x.yaml, devices: 8, ranks: 0-7}"),
              HasSubstr("give only one of devices and ranks"));
  EXPECT_THAT(wrong_with("{name: a, job: x, devices: 4}, {name: a, job: x, devices: 4}"),
              HasSubstr("another job is called a"));
}

TEST(ConcurrentJobsFile, HasAReferencePage) {
  const auto path = kRoot / "docs/reference/jobs.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr)
    std::ofstream(path) << concurrent_jobs_reference();
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), concurrent_jobs_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

/// Two jobs on four hosts of four devices whose only way to each other is a switch of two leaves.
class TogetherRun : public ::testing::Test {
 protected:
  TogetherRun() {
    folder_ = std::filesystem::path(testing::TempDir()) / "orrery-together";
    std::filesystem::create_directories(folder_);
    build();
  }
  ~TogetherRun() override { std::filesystem::remove_all(folder_); }

  /// `memories`: in the fabric; `remote`: what the machine's remote memory is.
  void build(const std::string& memories = {}, const std::string& remote = {}) {
    std::ofstream(folder_ / "c.yaml")
        << "device: h100-sxm\nfabric: {hosts: [{count: 4, devices: 4, scale_up: nvlink4, nics: 4, "
           "pcie: {bandwidth: 64 GB/s, latency: 250 ns}}], network: {kind: fat_tree, per_leaf: 8, "
           "radix: 16, oversubscription: 4, port: ib-ndr}"
        << memories << "}\n"
        << remote;
  }

  Result<ConcurrentJobsResult> run(const std::string& first, const std::string& other,
                                   const std::string& network = {}, bool links = false,
                                   const std::string& more = {}) {
    const std::string of =
        "job: {model: llama-3.2-1b, parallel: {tp: 4, dp: 2}, batch: {global: "
        "4, seq: 2048}" +
        more + "}";
    std::ofstream(folder_ / "j.yaml") << "cluster: c.yaml\njobs: [{name: a, " << first << ", " << of
                                      << "}, {name: b, " << other << ", " << of << "}]\n";
    ConcurrentJobsQuestion question;
    question.file = (folder_ / "j.yaml").string();
    question.network = network;
    question.links = links;
    Watch ignored_watch;
    Findings findings;
    return simulate_concurrent_jobs(question, ignored_watch, findings);
  }

  std::filesystem::path folder_;
};

TEST_F(TogetherRun, JobsSlowEachOtherWhereTheirTrafficMeets) {
  // Hosts 0 and 1 are below one leaf, 2 and 3 below the other.
  const auto apart = run("ranks: 0-7", "devices: 8");
  ASSERT_TRUE(apart) << to_string(apart.error());
  for (const ConcurrentJob& job : apart->jobs)
    EXPECT_EQ(job.concurrent.end, job.alone.end) << job.name;
  for (const std::string network : {"", "message"}) {
    const auto meet = run("ranks: [0-3, 8-11]", "devices: 8", network);
    ASSERT_TRUE(meet) << to_string(meet.error());
    for (const ConcurrentJob& job : meet->jobs)
      EXPECT_GT(job.slowed(), 1.01) << job.name << network;
    EXPECT_EQ(meet->spare, 0u);
  }
  const auto never = run("ranks: [0-3, 8-11]", "devices: 8", "analytical");
  ASSERT_TRUE(never) << to_string(never.error());
  for (const ConcurrentJob& job : never->jobs)
    EXPECT_EQ(job.concurrent.end, job.alone.end) << job.name;
}

TEST_F(TogetherRun, JobsShareTheMachinesMemory) {
  const std::string moves = ", offload: {optimizer: true}";
  const auto slowed = [&](const std::string& memories, const std::string& remote,
                          const std::string& first, const std::string& network) {
    build(memories, "remote_memory: " + remote + "\n");
    const auto both = run(first, "devices: 8", network, false, moves);
    EXPECT_TRUE(both) << to_string(both.error());
    return both ? std::min(both->jobs[0].slowed(), both->jobs[1].slowed()) : 0;
  };
  const std::string at_leaves =
      ", memories: [{at: 'leaf*', count: 1, link: {bandwidth: 40 GB/s, latency: 500 ns}}]";
  for (const std::string network : {"flow", "message", "analytical"}) {
    EXPECT_GT(slowed("", "{kind: pool, bandwidth: 20 GB/s, latency: 1 us}", "ranks: 0-7", network),
              1.2)
        << "one for all " << network;
    for (const std::string kind : {"per_npu", "per_node, nodes: 4, npus_per_node: 4"})
      EXPECT_EQ(slowed("", "{kind: " + kind + ", bandwidth: 20 GB/s, latency: 1 us}", "ranks: 0-7",
                       network),
                1)
          << kind << network;
    if (network == "analytical") continue;
    EXPECT_EQ(slowed(at_leaves, "{kind: network, latency: 1 us}", "ranks: 0-7", network), 1)
        << "each has its own leaf's";
    EXPECT_GT(slowed(at_leaves, "{kind: network, latency: 1 us}", "ranks: [0-3, 8-11]", network),
              1.2)
        << network;
  }
}

TEST_F(TogetherRun, SaysWhereJobsMeet) {
  for (const std::string network : {"flow", "message"}) {
    SCOPED_TRACE(network);
    const auto apart = run("ranks: 0-7", "devices: 8", network, true);
    ASSERT_TRUE(apart) << to_string(apart.error());
    EXPECT_TRUE(apart->links_known);
    EXPECT_TRUE(apart->links.empty());
    const auto meet = run("ranks: [0-3, 8-11]", "devices: 8", network, true);
    ASSERT_TRUE(meet) << to_string(meet.error());
    ASSERT_FALSE(meet->links.empty());
    for (const SharedLink& link : meet->links) {
      EXPECT_TRUE(link.name.starts_with("leaf") || link.name.starts_with("spine")) << link.name;
      EXPECT_EQ(link.kind, "network");
      ASSERT_EQ(link.bytes.size(), 2U);
      EXPECT_GT(std::min(link.bytes[0], link.bytes[1]), 0U);
      EXPECT_LE(link.other_bytes(), meet->links[0].other_bytes());
    }
    // What is simulated is the same.
    const auto without = run("ranks: [0-3, 8-11]", "devices: 8", network);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(meet->jobs[i].alone.end, without->jobs[i].alone.end);
      EXPECT_EQ(meet->jobs[i].concurrent.end, without->jobs[i].concurrent.end);
    }
  }
  EXPECT_FALSE(run("ranks: 0-7", "devices: 8", "analytical", true)->links_known);
}

TEST_F(TogetherRun, WhoBeginsWhenTheOtherIsThroughSlowsNobody) {
  const auto later = run("ranks: [0-3, 8-11]", "devices: 8, start: 10 s, steps: 2");
  ASSERT_TRUE(later) << to_string(later.error());
  for (const ConcurrentJob& job : later->jobs)
    EXPECT_EQ(job.concurrent.end, job.alone.end) << job.name;
}

// Below one leaf no rank is ahead of others at the end of a step.
TEST_F(TogetherRun, StepsTakeWhatOneTakes) {
  const auto made = run("ranks: 0-7, start: 1 s", "devices: 8, start: 3 us, steps: 3");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->jobs[1].concurrent.end, made->jobs[0].concurrent.end * 3);
}

TEST_F(TogetherRun, RefusesJobsWithoutRoom) {
  EXPECT_THAT(to_string(run("ranks: 0-7", "ranks: 7-14").error()),
              HasSubstr("rank 7 belongs to another job"));
  EXPECT_THAT(to_string(run("ranks: 0-7", "ranks: 9-16").error()), HasSubstr("no rank 16"));
  EXPECT_THAT(to_string(run("devices: 12", "devices: 8").error()),
              HasSubstr("only 4 of 8 devices are free"));
}

}  // namespace
}  // namespace orrery::study
