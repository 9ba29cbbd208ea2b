// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/group_rings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {
namespace {

using graph::CollectiveType;
using Ranks = std::vector<std::uint32_t>;

constexpr CollectiveType kRingTypes[] = {CollectiveType::all_reduce, CollectiveType::all_gather,
                                         CollectiveType::reduce_scatter};

/// Hosts of these numbers of GPUs, each with an adapter, on one switch.
std::string hosts_of(const Ranks& sizes, const std::string& network = "flow",
                     const std::string& more = "") {
  std::string text =
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: " + network +
      "\nfabric:\n  hosts:\n";
  for (const std::uint32_t size : sizes)
    text += fmt::format(
        "    - {{count: 1, devices: {0}, scale_up: {{bandwidth: 450 GB/s, latency: 300 ns}}, "
        "nics: {0}, pcie: {{bandwidth: 64 GB/s, latency: 250 ns}}}}\n",
        size);
  return text + "  network: {kind: switch, port: {bandwidth: 50 GB/s, latency: 1 us}}\n" + more;
}

platform::Platform machine_of(const std::string& text) {
  Findings findings;
  auto made = platform::parse_cluster(text, "test", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error())) << text;
  return made ? *std::move(made) : platform::Platform{};
}

Time duration_of(const graph::Workload& work, const platform::Platform& platform,
                 const sim::Options& options = {}) {
  const auto made = simulate_collectives(work, platform, options);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  return made ? made->end : Time{};
}

Ranks ranks_up_to(std::uint32_t count) {
  Ranks all(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) all[rank] = rank;
  return all;
}

const std::string kOneRing = "collectives: {all_reduce: ring}\n";

// Hosts x collectives x network models: several rings use more adapters than one, and end in the
// same time whether equivalent ranks are folded or the run is recorded. No run beats the bound.
TEST(GroupRings, AreFasterThanOneRingInEveryNetwork) {
  for (const Ranks& hosts : {Ranks{4, 6}, Ranks{6, 4}, Ranks{2, 3, 4}, Ranks{4, 4, 8}}) {
    std::uint32_t ranks = 0;
    for (const std::uint32_t size : hosts) ranks += size;
    for (const std::string network : {"flow", "message", "packet"}) {
      const Bytes size(network == "packet" ? 2'400'000 : 48'000'000);
      const platform::Platform usual = machine_of(hosts_of(hosts, network));
      const platform::Platform ring = machine_of(hosts_of(hosts, network, kOneRing));
      for (const CollectiveType type : kRingTypes) {
        const auto work = single_collective(type, size, ranks_up_to(ranks), ranks);
        const Time one = duration_of(work, ring), several = duration_of(work, usual);
        const auto about = fmt::format("{} hosts, {} ranks, {}, {}", hosts.size(), ranks, network,
                                       graph::name(type));
        // Of complete messages, more hops in hosts cost more.
        EXPECT_LT(several.count(), one.count() * (network == "message" ? 10 : 8) / 10) << about;
        const auto least = synthesis::lower_bound_of(usual, {type, size, ranks_up_to(ranks)});
        ASSERT_TRUE(least);
        EXPECT_GE(several, least->total) << about;
        for (const bool fold : {false, true})
          for (const bool record : {false, true}) {
            sim::Options options;
            options.fold = fold;
            options.record = record;
            EXPECT_EQ(duration_of(work, usual, options), several) << about << fold << record;
          }
      }
    }
  }
}

// A group has rings if it has several ranks in each of several hosts; the others run as before.
TEST(GroupRings, DependOnTheHostsOfTheGroup) {
  const platform::Platform usual = machine_of(hosts_of({4, 6}));
  const platform::Platform ring = machine_of(hosts_of({4, 6}, "flow", kOneRing));
  const auto rings = [&](const Ranks& group) {
    auto work = single_collective(CollectiveType::all_reduce, Bytes(48'000'000), group, 10);
    Findings findings;
    EXPECT_TRUE(add_group_rings(usual, work, findings));
    EXPECT_TRUE(findings.list().empty());
    const Time several = duration_of(work, usual), one = duration_of(work, ring);
    const bool faster = several < one;
    EXPECT_EQ(faster, !work.custom_collectives.empty());
    EXPECT_EQ(!faster, several == one);
    return faster;
  };
  EXPECT_TRUE(rings(ranks_up_to(10)));
  EXPECT_TRUE(rings({0, 1, 4, 5}));
  EXPECT_TRUE(rings({2, 3, 4, 5, 9}));
  EXPECT_TRUE(rings({0, 4, 5, 6})) << "one ring, whose pieces follow each other";
  EXPECT_FALSE(rings({0, 1, 2, 3})) << "in one host";
  EXPECT_FALSE(rings({4, 5, 6}));
  EXPECT_FALSE(rings({0, 4})) << "one rank per host";
}

// Groups with rings and without run at once, each as if it were alone on its own links.
TEST(GroupRings, RunNextToGroupsWithoutThem) {
  const platform::Platform usual = machine_of(hosts_of({4, 6}));
  graph::Collective one;
  one.type = CollectiveType::all_reduce;
  one.size = Bytes(48'000'000);
  const std::vector<Ranks> groups = {{0, 1, 4, 5}, {2, 6}, {7, 8, 9}};
  Time slowest{};
  for (const Ranks& group : groups)
    slowest = std::max(slowest, duration_of(concurrent_collectives(one, {&group, 1}, 10), usual));
  EXPECT_EQ(duration_of(concurrent_collectives(one, groups, 10), usual), slowest);
}

TEST(GroupRings, SaysWhichGroupsKeepOneRing) {
  const auto found = [](const platform::Platform& platform) {
    const auto ranks = static_cast<std::uint32_t>(platform.npu_count());
    auto work =
        single_collective(CollectiveType::all_gather, Bytes(1 << 20), ranks_up_to(ranks), ranks);
    Findings findings;
    EXPECT_TRUE(add_group_rings(platform, work, findings));
    EXPECT_EQ(findings.list().empty(), !work.custom_collectives.empty());
    return findings.list().empty() ? Finding{} : findings.list().front();
  };
  EXPECT_EQ(found(machine_of(hosts_of({4, 6}))).count, 0U);
  Ranks many(24, 12);
  many.push_back(10);
  const Finding large = found(machine_of(hosts_of(many)));
  EXPECT_EQ(large.code, FindingCode::group_falls_back_to_ring);
  ASSERT_EQ(large.places.size(), 1U);
  EXPECT_EQ(large.places[0],
            "all_gather of group \"\": 298 ranks are too many for rings by adapter");
  platform::Platform alternating = machine_of(hosts_of({4, 6}));
  auto fabric = *alternating.fabric;
  std::swap(fabric.rank_devices[1], fabric.rank_devices[4]);
  alternating.fabric = std::make_shared<platform::Fabric>(std::move(fabric));
  const Finding order = found(alternating);
  ASSERT_EQ(order.places.size(), 1U);
  EXPECT_EQ(order.places[0], "all_gather of group \"\": its ranks alternate between hosts");
}

// The only adapter of a host is busy all the time: 1.6 times the bytes of the buffer pass it, at 50
// GB/s. If messages of a ring shared it, its next hop would have nothing to send meanwhile.
TEST(GroupRings, KeepTheOnlyAdapterOfAHostBusy) {
  const auto work =
      single_collective(CollectiveType::all_reduce, Bytes(64'000'000), ranks_up_to(5), 5);
  const Time end = duration_of(work, machine_of(hosts_of({1, 4})));
  EXPECT_GE(end, Time(2'048'000'000));
  EXPECT_LT(end, Time(2'080'000'000));
  EXPECT_GT(duration_of(work, machine_of(hosts_of({1, 4}, "flow", kOneRing))), end);
}

TEST(GroupRings, AreNotTheDefaultAmongEqualHosts) {
  for (const Ranks& hosts : {Ranks{4, 4}, Ranks{1, 1, 1}, Ranks{8}})
    EXPECT_TRUE(machine_of(hosts_of(hosts)).collectives.all_reduce.custom_prefix.empty());
  for (const char* given :
       {"collectives: {all_reduce: direct}\n", "collectives: {chunks: 3}\n",
        "collectives: {all_gather: ring}\n", "collectives: {library: nccl}\ndevice: h100-sxm\n"}) {
    std::string text = hosts_of({4, 6}, "flow", given);
    if (text.find("h100") != std::string::npos) text.erase(0, text.find('\n') + 1);
    EXPECT_TRUE(machine_of(text).collectives.all_reduce.custom_prefix.empty()) << given;
  }
}

TEST(GroupRings, CanBeAskedForInAClusterFile) {
  const std::string asked = "collectives: {all_reduce: {custom: rings}}\n";
  const auto work =
      single_collective(CollectiveType::all_reduce, Bytes(48'000'000), ranks_up_to(8), 8);
  EXPECT_LT(duration_of(work, machine_of(hosts_of({4, 4}, "flow", asked))),
            duration_of(work, machine_of(hosts_of({4, 4}, "flow",
                                                  "collectives: {all_reduce: one_ring}\n"))));
  Findings findings;
  const auto refused = platform::parse_cluster(
      hosts_of({4, 4}, "flow", "collectives: {all_to_all: {custom: rings}}\n"), "test", findings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "test:/collectives/all_to_all");
}

}  // namespace
}  // namespace orrery::study
