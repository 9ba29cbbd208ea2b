// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_bounds.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/study.h"
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {
namespace {

using graph::CollectiveType;
using synthesis::SwitchCapability;

/// Eight hosts of one GPU on a switch that can reduce, and 4 + 6 GPUs.
constexpr const char* kReducingSwitch =
    "device: h100-sxm\nfabric: {hosts: [{count: 8, devices: 1, nics: 1, pcie: {bandwidth: 64 GB/s, "
    "latency: 250 ns}}], network: {kind: switch, port: ib-ndr}, in_network: [{switches: \"*\"}]}\n";
constexpr const char* kUnequalHosts =
    "device: h100-sxm\nfabric: {hosts: [{count: 1, devices: 4, scale_up: nvlink4, nics: 4, pcie: "
    "{bandwidth: 64 GB/s, latency: 250 ns}}, {count: 1, devices: 6, scale_up: nvlink4, nics: 6, "
    "pcie: {bandwidth: 64 GB/s, latency: 250 ns}}], network: {kind: switch, port: ib-ndr}}\n";

Question gpt2_on(const std::string& cluster, const char* dp) {
  Question question;
  question.job.model = "gpt2";
  question.job.dp = dp;
  question.job.global_batch = dp;
  question.job.seq = "128";
  question.cluster = "c.yaml";
  question.cluster_text = cluster;
  question.record = true;
  return question;
}

/// Checks that each all-reduce has the bound of what switches can do with it, and does not beat it.
void expect_bounds(const std::string& cluster, const char* dp, SwitchCapability capability) {
  const auto answer = simulate(gpt2_on(cluster, dp));
  ASSERT_TRUE(answer) << to_string(answer.error());
  const auto run = answer->run();
  ASSERT_TRUE(run) << to_string(run.error());
  std::size_t all_reduces = 0;
  for (const result::Collective& one : run->collectives) {
    if (one.type != "all_reduce") continue;
    ++all_reduces;
    const auto least = synthesis::lower_bound_of(
        answer->outcome().platform(),
        {CollectiveType::all_reduce, one.bytes, run->groups[one.group].ranks, 0, capability});
    ASSERT_TRUE(least);
    EXPECT_EQ(one.bound, least->total) << cluster;
  }
  EXPECT_GT(all_reduces, 0U);
}

// Switches that reduce for other collectives, and plans, are no reason for a smaller bound: a
// collective's speed is relative to what its own algorithm could reach.
TEST(CollectiveBounds, AreThoseOfTheCollectivesOwnAlgorithm) {
  const std::string one = kReducingSwitch, unequal = kUnequalHosts;
  expect_bounds(one + "collectives: {all_reduce: in_network}\n", "8", SwitchCapability::reduces);
  for (const char* given : {"all_reduce: ring", "all_reduce: halving_doubling",
                            "all_reduce: ring, all_gather: in_network"})
    expect_bounds(one + "collectives: {" + given + "}\n", "8", SwitchCapability::forwards);
  expect_bounds(unequal, "10", SwitchCapability::forwards);
  expect_bounds(unequal + "collectives: {all_reduce: ring}\n", "10", SwitchCapability::forwards);
}

// One job, folded and unfolded, whose collectives run in rings by adapter.
TEST(CollectiveBounds, HoldForFoldedRunsOnUnequalHosts) {
  for (const char* network : {"flow", "message"}) {
    Question question = gpt2_on(kUnequalHosts, "10");
    question.network = network;
    question.work.verify_fold = true;
    const auto answer = simulate(question);
    ASSERT_TRUE(answer) << to_string(answer.error());
    ASSERT_TRUE(answer->outcome().verified);
    EXPECT_EQ(answer->outcome().verified->difference.value_or(""), "") << network;
    Question one_ring =
        gpt2_on(std::string(kUnequalHosts) + "collectives: {all_reduce: ring}\n", "10");
    one_ring.network = network;
    const auto slower = simulate(one_ring);
    ASSERT_TRUE(slower) << to_string(slower.error());
    EXPECT_LT(answer->step(), slower->step()) << network;
  }
}

}  // namespace
}  // namespace orrery::study
