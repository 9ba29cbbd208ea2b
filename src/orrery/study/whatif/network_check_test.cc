// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/network_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/paths_testing.h"

namespace orrery::study {
namespace {

using testing::HasSubstr;

std::string example(const std::string& path) {
  return std::string(core_testing::kSourceFolder) + "/examples/" + path;
}

/// Messages of an example on 16 hosts of a fat tree.
NetworkCheckQuestion messages_of(const std::string& file) {
  NetworkCheckQuestion question;
  question.base.workload = example("messages/" + file);
  question.base.cluster = example("clusters/uet-fat-tree-16.yaml");
  return question;
}

Result<NetworkCheck> check_of(const NetworkCheckQuestion& question) {
  Watch watch;
  return check_networks(question, watch);
}

// Each row is a run with that network model, and its error is against packets.
TEST(NetworkChecks, EqualSingleRuns) {
  const NetworkCheckQuestion question = messages_of("incast-flows.txt");
  const auto made = check_of(question);
  ASSERT_TRUE(made) << to_string(made.error());
  // All but flits, whose routers the cluster does not describe, and ns-3, which lacks its
  // transport.
  ASSERT_EQ(made->networks.size(), kNetworkModels.size() - 2);
  ASSERT_TRUE(made->reference);
  const CheckedNetwork& reference = made->networks[*made->reference];
  EXPECT_EQ(reference.kind, NetworkModelKind::packet);
  EXPECT_FALSE(reference.step_error);
  for (const CheckedNetwork& one : made->networks) {
    Question alone = question.base;
    alone.network = network_model(one.kind).name;
    const auto run = simulate(alone);
    ASSERT_TRUE(run) << to_string(run.error());
    ASSERT_FALSE(one.error);
    EXPECT_EQ(run->step(), one.step) << alone.network;
    if (!one.step_error) continue;
    EXPECT_NEAR(*one.step_error, seconds(one.step) / seconds(reference.step) - 1, 1e-12);
  }
  // Four hosts send to one: without congestion, the step is far too short.
  EXPECT_LT(*made->networks.front().step_error, -0.5);
  EXPECT_FALSE(made->recommended);
  EXPECT_EQ(made->ranks, 16u);
}

// One flow has no congestion: the cheapest network is close enough.
TEST(NetworkChecks, RecommendTheCheapestCloseNetwork) {
  const auto made = check_of(messages_of("one-flow.cm"));
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_TRUE(made->recommended);
  const CheckedNetwork& cheap = made->networks[*made->recommended];
  EXPECT_LE(std::abs(*cheap.step_error), NetworkCheck::kClose);
  for (const CheckedNetwork& one : made->networks)
    if (one.step_error && std::abs(*one.step_error) <= NetworkCheck::kClose)
      EXPECT_GE(one.cpu_seconds, cheap.cpu_seconds);
  // A message is stored completely at each of five switches.
  EXPECT_GT(*made->networks[static_cast<std::size_t>(NetworkModelKind::message)].step_error, 4);
}

TEST(NetworkChecks, SkipWhatTakesTooLong) {
  NetworkCheckQuestion question = messages_of("incast-flows.txt");
  question.limit = "0.0002 s";
  const auto made = check_of(question);
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_TRUE(made->networks.back().error);
  EXPECT_EQ(made->networks.back().error->code, Errc::limit_exceeded);
  ASSERT_TRUE(made->reference);
  EXPECT_EQ(made->networks[*made->reference].kind, NetworkModelKind::flow);
  EXPECT_THAT(network_check_csv(*made), HasSubstr("\npacket,,,,,,,"));
  question.limit = "0 s";
  EXPECT_EQ(check_of(question).error().code, Errc::usage);
  question.limit = "0.0000001 s";  // nothing can run
  EXPECT_EQ(check_of(question).error().code, Errc::limit_exceeded);
}

NetworkCheckQuestion check_on(const std::string& network) {
  NetworkCheckQuestion question;
  question.base.workload = example("messages/one-flow.cm");
  question.base.cluster = "fabric.yaml";
  question.base.cluster_text =
      "version: 1\ndevice: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + network;
  return question;
}

// A section of routers that cannot run has a row with the reason, as other networks have.
TEST(NetworkChecks, NameWhyFlitsCannotRun) {
  const auto torus = [](const std::string& noc) {
    return check_of(
        check_on("fabric:\n  hosts: [{count: 16, devices: 1}]\n  network: {kind: torus, "
                 "sizes: [4, 4], port: {bandwidth: 32 GB/s, latency: 1 ns}}\nnoc: " +
                 noc + "\n"));
  };
  const auto fine = torus("{channels: 4}");
  ASSERT_TRUE(fine) << to_string(fine.error());
  constexpr auto kFlits = static_cast<std::size_t>(NetworkModelKind::noc);  // ns-3 may be the next
  ASSERT_EQ(fine->networks.at(kFlits).kind, NetworkModelKind::noc);
  EXPECT_FALSE(fine->networks[kFlits].error);
  EXPECT_EQ(*fine->reference, kFlits);
  // 62,500 flits of 32 B and their heads at several routers: an order of magnitude.
  EXPECT_GT(fine->networks[kFlits].cpu_seconds, 0.01);
  EXPECT_LT(fine->networks[kFlits].cpu_seconds, 1);
  const auto made = torus("{channels: 1}");
  ASSERT_TRUE(made) << to_string(made.error());
  ASSERT_EQ(made->networks.at(kFlits).kind, NetworkModelKind::noc);
  ASSERT_TRUE(made->networks[kFlits].error);
  EXPECT_THAT(made->networks[kFlits].error->what, HasSubstr("the routing divides them"));
  EXPECT_EQ(made->networks[*made->reference].kind, NetworkModelKind::packet);
}

// Of four adapters, packets use one, unless they are sprayed.
TEST(NetworkChecks, NameDividedMessages) {
  const auto hosts = [](const std::string& nics, const std::string& routing) {
    return check_of(check_on("fabric:\n  hosts: [{count: 16, devices: 1, nics: " + nics +
                             ", pcie: {bandwidth: 400 GB/s, latency: 100 ns}}]\n  network: {kind: "
                             "switch, port: {bandwidth: 10 GB/s, latency: 1 us}}\n  routing: " +
                             routing + "\n"));
  };
  const auto flow_error = [](const NetworkCheck& check) {
    return *check.networks[static_cast<std::size_t>(NetworkModelKind::flow)].step_error;
  };
  const auto divided = hosts("4", "ecmp");
  ASSERT_TRUE(divided) << to_string(divided.error());
  EXPECT_TRUE(divided->adapters_differ);
  EXPECT_LT(flow_error(*divided), -0.7);
  const auto sprayed = hosts("4", "spray");
  ASSERT_TRUE(sprayed) << to_string(sprayed.error());
  EXPECT_FALSE(sprayed->adapters_differ);
  // 64 routes by hash: the busiest adapter has some 20 of them, where flows give each one 16.
  EXPECT_GT(flow_error(*sprayed), -0.3);
  const auto single = hosts("1", "ecmp");
  ASSERT_TRUE(single) << to_string(single.error());
  EXPECT_FALSE(single->adapters_differ);
}

// Faults that begin are only for flows and packets: the others say so.
TEST(NetworkChecks, NameWhyANetworkCannotRun) {
  NetworkCheckQuestion question;
  question.base.workload = example("messages/one-flow.cm");
  question.base.cluster = "fabric.yaml";
  question.base.cluster_text =
      "version: 1\ndevice: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n"
      "fabric:\n"
      "  hosts: [{count: 16, devices: 1}]\n"
      "  network: {kind: fat_tree, tiers: 3, radix: 4, port: {bandwidth: 100 Gb/s, latency: 1 "
      "us}}\n"
      "  faults: [{node: leaf0, bandwidth: 0.5, start: 10 us}]\n";
  const auto made = check_of(question);
  ASSERT_TRUE(made) << to_string(made.error());
  for (const CheckedNetwork& one : made->networks)
    EXPECT_EQ(one.error.has_value(), !network_model(one.kind).timed_faults)
        << network_model(one.kind).name << (one.error ? to_string(*one.error) : "");
  ASSERT_TRUE(made->reference);
  EXPECT_EQ(made->networks[*made->reference].kind, NetworkModelKind::packet);
}

}  // namespace
}  // namespace orrery::study
