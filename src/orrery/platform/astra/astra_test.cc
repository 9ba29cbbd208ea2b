// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/astra/astra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "orrery/platform/astra/astra_files.h"
#include "orrery/platform/collective_algorithm_names.h"

namespace orrery::platform {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for one test.
class AstraFiles : public testing::Test {
 protected:
  AstraFiles() {
    folder_ =
        fs::path(testing::TempDir()) /
        ("astra_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("network.yml",
          "topology: [ Ring, Switch ]\nnpus_count: [ 2, 8 ]\nbandwidth: [ 50.0, 33.3 ]\nlatency: [ "
          "500, 936.25 ]\n");
    write("system.json", R"({"scheduling-policy": "LIFO", "collective-optimization": "localBWAware",
      "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct4"]})");
    write("memory.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
  }
  ~AstraFiles() override { fs::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  AstraInputs inputs() const {
    AstraInputs in;
    in.system = path("system.json");
    in.network = path("network.yml");
    in.memory = path("memory.json");
    return in;
  }
  Result<Platform> read() { return read_astra(inputs(), findings_); }

  fs::path folder_;
  Findings findings_;
};

TEST_F(AstraFiles, ReadsUnitsAsTheReferenceDoes) {
  write("system.json", R"({"scheduling-policy": "FIFO", "collective-optimization": "baseline",
    "preferred-dataset-splits": 64, "active-chunks-per-dimension": 2, "endpoint-delay": 7, "local-mem-bw": 1600,
    "peak-perf": 312, "roofline-enabled": 1, "boost-mode": 0, "replay-only": 0, "track-local-mem": 1,
    "all-reduce-implementation": ["oneDirect3"], "all-gather-implementation": ["halvingDoubling", "doubleBinaryTree"],
    "L": 10.9, "o": 2, "g": 3, "G": 0.01, "model-shared-bus": 1, "local-reduction-delay": 5})");
  write("memory.json", R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 100.9,
    "remote-mem-bw": 25.5, "num-nodes": 4, "num-npus-per-node": 4})");
  AstraInputs in = inputs();
  in.injection_scale = 0.33;
  in.compute_scale = 2;
  in.queues_per_dim = 4;
  in.model = NetworkModelKind::message;
  const Result<Platform> platform = read_astra(in, findings_);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->rules, Rules::astra);
  EXPECT_EQ(platform->network, NetworkModelKind::message);
  ASSERT_EQ(platform->dims.size(), 2u);
  EXPECT_EQ(platform->dims[0].block, Block::ring);
  EXPECT_EQ(platform->dims[1].block, Block::switched);
  EXPECT_EQ(platform->npu_count(), 16);
  EXPECT_EQ(platform->dims[1].bandwidth.count(), 33.3 * 1073741824.0);
  EXPECT_EQ(platform->dims[1].latency_ns, 936.25);
  const CollectiveConfig& c = platform->collectives;
  EXPECT_EQ(c.policy, SchedulingPolicy::fifo);
  EXPECT_EQ(c.optimization, CollectiveOptimization::baseline);
  EXPECT_EQ(c.splits, 64);
  EXPECT_EQ(c.active_chunks, 2);
  EXPECT_EQ(c.queues_per_dim, 4);
  EXPECT_EQ(c.endpoint_delay, ns(2)) << "7 * 0.33 cut off";
  EXPECT_THAT(c.all_reduce.per_dim,
              testing::ElementsAre(AlgorithmSpec{Algorithm::direct, 3, true}));
  EXPECT_THAT(c.all_gather.per_dim,
              testing::ElementsAre(AlgorithmSpec{Algorithm::halving_doubling, -1},
                                   AlgorithmSpec{Algorithm::double_binary_tree, -1}));
  EXPECT_TRUE(c.all_to_all.per_dim.empty());
  EXPECT_EQ(platform->device.memory.count(), 1600e9);
  EXPECT_EQ(platform->device.peak.count(), 312e12);
  EXPECT_EQ(platform->device.compute, TimeSource::roofline);
  EXPECT_TRUE(platform->track_local_memory);
  EXPECT_FALSE(platform->replay_only);
  ASSERT_TRUE(platform->shared_bus);
  EXPECT_EQ(platform->shared_bus->L, 10);
  EXPECT_EQ(platform->shared_bus->G, 0.01);
  EXPECT_EQ(platform->shared_bus->reduction_delay, 5);
  EXPECT_EQ(platform->remote_memory.kind, RemoteMemoryKind::per_node);
  EXPECT_EQ(platform->remote_memory.latency, ns(100));
  EXPECT_EQ(platform->remote_memory.bandwidth.count(), 25e9);
  EXPECT_EQ(findings_.count(FindingCode::key_ignored), 1u);
  EXPECT_EQ(findings_.count(FindingCode::key_without_effect), 1u);
}

TEST_F(AstraFiles, AssumesWhatTheReferenceLeavesOpen) {
  write("system.json", "{}");
  AstraInputs in = inputs();
  in.memory.clear();
  in.injection_scale = 3;
  const Result<Platform> platform = read_astra(in, findings_);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->collectives.policy, SchedulingPolicy::lifo);
  EXPECT_EQ(platform->collectives.optimization, CollectiveOptimization::baseline);
  EXPECT_EQ(platform->collectives.splits, 0);
  EXPECT_EQ(platform->collectives.endpoint_delay, ns(10))
      << "the scale applies only to a given delay";
  EXPECT_EQ(platform->remote_memory.kind, RemoteMemoryKind::none);
  EXPECT_FALSE(platform->shared_bus);
  EXPECT_EQ(findings_.count(FindingCode::default_assumed), 3u);
}

TEST_F(AstraFiles, NamesTheNearestKey) {
  write("system.json", R"({"endpoint-dealy": 1})");
  ASSERT_TRUE(read());
  std::string place;
  for (const Finding& finding : findings_.list()) {
    if (finding.code == FindingCode::key_ignored) place = finding.places.front();
  }
  EXPECT_THAT(place, testing::HasSubstr("/endpoint-dealy (did you mean \"endpoint-delay\"?)"));
}

TEST_F(AstraFiles, FindsCustomCollectivesBesideTheSystemFile) {
  write("algo.0.et", "");
  write("nodes.yaml", "7: algo\n8: /absolute/prefix\n");
  write("system.json",
        R"({"preferred-dataset-splits": 1, "all-reduce-implementation-custom": ["algo"],
    "per-node-custom-implementation": "nodes.yaml"})");
  const Result<Platform> platform = read();
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->collectives.all_reduce.custom_prefix, path("algo"));
  EXPECT_EQ(platform->collectives.custom_by_node.at(7), path("algo"));
  EXPECT_EQ(platform->collectives.custom_by_node.at(8), "/absolute/prefix");
}

TEST_F(AstraFiles, ReadsTheDormantSchedulingKeys) {
  write(
      "system.json",
      R"({"inter-dimension-scheduling": "offlineGreedyFlex", "intra-dimension-scheduling": "smallestFirst"})");
  const Result<Platform> platform = read();
  ASSERT_TRUE(platform);
  EXPECT_EQ(platform->collectives.inter_dimension, InterDimension::themis_flex);
  EXPECT_EQ(platform->collectives.intra_dimension, IntraDimension::smallest_first);
}

TEST(AstraNames, AreUniqueAndReadBack) {
  std::set<std::string> names;
  for (const AlgorithmName& one : algorithm_names(true)) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(astra_algorithm(one.name), one.spec);
  }
}

TEST(AstraNames, AreThoseOfTheReference) {
  EXPECT_EQ(astra_algorithm("direct16"), (AlgorithmSpec{Algorithm::direct, 16}));
  EXPECT_EQ(astra_algorithm("oneRing"), (AlgorithmSpec{Algorithm::ring, -1, true}));
  for (const char* bad :
       {"", "Ring", "direct0", "direct-1", "directx", "ring2", "direct99999999999"}) {
    EXPECT_FALSE(astra_algorithm(bad)) << bad;
  }
}

}  // namespace
}  // namespace orrery::platform
