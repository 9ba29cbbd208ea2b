// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/file/cluster_file.h"

namespace orrery::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSmall = R"(
device: h100-sxm
network:
  - {block: switch, size: 8, link: nvlink4}
  - {block: switch, size: 6, link: ib-ndr, latency: 2 us}
)";

Result<Platform> parse(std::string_view text) {
  Findings findings;
  return parse_cluster(text, "c.yaml", findings);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Cluster, FillsInCatalogAndDefaults) {
  const Result<Platform> platform = parse(kSmall);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->rules, Rules::orrery);
  EXPECT_EQ(platform->npu_count(), 48);
  EXPECT_EQ(platform->dims[0].bandwidth.count(), 450e9);
  EXPECT_EQ(platform->dims[1].bandwidth.count(), 50e9);
  EXPECT_EQ(platform->dims[1].latency_ns, 2000);
  EXPECT_EQ(platform->device.name, "h100-sxm");
  EXPECT_EQ(platform->device.peak.count(), 989.4e12);
  EXPECT_EQ(platform->device.rated, platform->device.peak);
  EXPECT_EQ(platform->device.precision, "bf16");
  EXPECT_EQ(platform->device.memory.count(), 3.35e12);

  EXPECT_EQ(platform->device.compute, TimeSource::automatic);
  const CollectiveConfig& c = platform->collectives;
  EXPECT_EQ(c.splits, 4);
  EXPECT_EQ(c.policy, SchedulingPolicy::fifo);
  EXPECT_EQ(c.inter_dimension, InterDimension::ascending);
  EXPECT_THAT(c.all_reduce.per_dim, testing::ElementsAre(AlgorithmSpec{Algorithm::halving_doubling},
                                                         AlgorithmSpec{Algorithm::ring}))
      << "6 is no power of two";
  EXPECT_EQ(c.all_gather.per_dim, c.all_reduce.per_dim);
  EXPECT_THAT(c.all_to_all.per_dim, testing::Each(AlgorithmSpec{Algorithm::direct, 1}));
}

TEST(Cluster, MayBeOfSystolicArrays) {
  const auto device = [](const std::string& keys) {
    return parse("device: {is: tpu-v4, " + keys +
                 "}\nnetwork: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]");
  };
  const Result<Platform> platform =
      device("compute: systolic, systolic: a/array.cfg, clock_mhz: 700");
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.compute, TimeSource::systolic);
  EXPECT_EQ(platform->device.kernel_files.systolic, "a/array.cfg");
  EXPECT_EQ(platform->device.clock_mhz, 700);
  Findings none;
  const auto again = parse_cluster(resolved_cluster(*platform), "again", none);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->device.compute, TimeSource::systolic);
  EXPECT_EQ(again->device.kernel_files.systolic, "a/array.cfg");
  EXPECT_EQ(again->device.clock_mhz, 700);
  const Result<Platform> none_named = device("compute: systolic");
  ASSERT_FALSE(none_named);
  EXPECT_EQ(none_named.error().code, Errc::config_missing_key);
  EXPECT_THAT(none_named.error().where, testing::HasSubstr("/device/systolic"));
  EXPECT_FALSE(device("clock_mhz: 0"));
}

TEST(Cluster, PowerLimitsAreAtMostThePowerOfTheBoard) {
  const auto device = [](const std::string& keys) {
    return parse("device: {" + keys +
                 "}\nnetwork: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]");
  };
  const Result<Platform> platform = device("is: h100-sxm, power_limit_w: 500");
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.power_limit_w, 500);
  Findings none;
  const auto again = parse_cluster(resolved_cluster(*platform), "again", none);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->device.power_limit_w, 500);
  const auto code = [&](const std::string& keys) {
    const Result<Platform> read = device(keys);
    EXPECT_FALSE(read) << keys;
    if (read) return Errc::usage;
    EXPECT_THAT(read.error().where, testing::HasSubstr("/device/power_limit_w")) << keys;
    return read.error().code;
  };
  EXPECT_EQ(code("is: h100-sxm, power_limit_w: 800"), Errc::config_range);
  EXPECT_EQ(code("is: h100-sxm, power_limit_w: 0"), Errc::config_range);
  EXPECT_EQ(code("is: tpu-v5e, power_limit_w: 100"), Errc::config_conflict);
  EXPECT_EQ(code("peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s, power_limit_w: 100"),
            Errc::config_conflict);
  EXPECT_EQ(code("is: h100-sxm, peak: 500 TFLOP/s, power_limit_w: 500"), Errc::config_conflict);
}

TEST(Cluster, ReadsEveryKey) {
  const Result<Platform> platform = parse(R"({
    "$schema": "x", "version": 1, "name": "all",
    "device": {"is": "a100-80gb", "precision": "fp32", "memory_bandwidth": "1 TiB/s", "memory_capacity": "40 GiB", "compute": "table", "kernel_table": "k/times.csv", "kernel_model": "k/times.model",
      "in_step": {"gap": "2 us", "factors": [{"bits": 16, "factor": 1.2, "least": -0.1, "most": 0.1}],
                  "overlapping_collectives": {"products": 1.25}}},
    "network": [{"block": "ring", "size": 4, "bandwidth": "400 Gb/s", "latency": 0}],
    "network_model": "message",
    "collectives": {"chunks": 7, "active_chunks": 2, "queues_per_dim": 3, "policy": "priority", "optimization": "baseline",
      "order": "themis_flex", "within": "smallest_first", "all_reduce": "double_binary_tree", "all_gather": ["direct:2"],
      "reduce_scatter": "one_ring", "all_to_all": {"custom": "a/b"}, "custom_by_node": {"12": "c/d"}, "rendezvous": true},
    "endpoint_delay": "1 us",
    "remote_memory": {"kind": "per_node", "latency": "2 us", "bandwidth": "25 GB/s", "nodes": 2, "npus_per_node": 2,
      "groups": 3, "chunk": "1 MB", "in_switch": true, "stages": [{"bandwidth": "1 GB/s", "links": 4},
        {"bandwidth": "2 GB/s", "shape": "ring", "sizes": [5]}, {"bandwidth": "3 GB/s", "shape": "mesh", "sizes": [2, 3], "devices": 2}]},
    "shared_bus": {"latency_ns": 1, "overhead_ns": 2, "gap_ns": 3, "gap_per_byte_ns": 0.5, "reduction_delay_ns": 4},
    "replay_only": true, "track_local_memory": true})");
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.peak.count(), 19.5e12);
  EXPECT_EQ(platform->device.memory_capacity.count(), 40ll << 30);
  EXPECT_EQ(platform->device.compute, TimeSource::table);
  EXPECT_EQ(platform->device.kernel_files.kernel_table, "k/times.csv");
  EXPECT_EQ(platform->device.in_step.gap, us(2));
  ASSERT_EQ(platform->device.in_step.factors.size(), 1u);
  EXPECT_EQ(platform->device.in_step.factors[0], (StepEffects::Factor{16, 1.2, -0.1, 0.1}));
  EXPECT_EQ(platform->device.in_step.overlap, (StepEffects::OverlapSlowdown{1.25, 1}));
  EXPECT_EQ(platform->device.kernel_files.kernel_model, "k/times.model");
  Findings none;
  const auto again = parse_cluster(resolved_cluster(*platform), "again", none);
  EXPECT_EQ(again->device.kernel_files.kernel_table, "k/times.csv");
  EXPECT_EQ(again->device.in_step.gap, us(2));
  EXPECT_EQ(again->device.in_step.factors, platform->device.in_step.factors);
  EXPECT_EQ(again->device.in_step.overlap, platform->device.in_step.overlap);
  EXPECT_EQ(platform->network, NetworkModelKind::message);
  EXPECT_EQ(platform->dims[0].bandwidth.count(), 50e9);
  const CollectiveConfig& c = platform->collectives;
  EXPECT_EQ(c.splits, 7);
  EXPECT_EQ(c.policy, SchedulingPolicy::explicit_priority);
  EXPECT_EQ(c.inter_dimension, InterDimension::themis_flex);
  EXPECT_THAT(c.all_gather.per_dim, testing::ElementsAre(AlgorithmSpec{Algorithm::direct, 2}));
  EXPECT_EQ(write_algorithm(c.reduce_scatter.per_dim.at(0)), "one_ring");
  EXPECT_EQ(c.all_to_all.custom_prefix, "a/b");
  EXPECT_EQ(c.custom_by_node.at(12), "c/d");
  EXPECT_EQ(c.endpoint_delay, us(1));
  const RemoteMemory& memory = platform->remote_memory;
  EXPECT_EQ(memory.nodes, 2);
  EXPECT_EQ(memory.groups, 3);
  EXPECT_EQ(memory.chunk, Bytes(1'000'000));
  EXPECT_TRUE(memory.in_switch);
  EXPECT_THAT(memory.stages,
              testing::ElementsAre(MemoryStage{MemoryShape::straight, Bandwidth(1e9), 4, {}, 0},
                                   MemoryStage{MemoryShape::ring, Bandwidth(2e9), 1, {5}, 0},
                                   MemoryStage{MemoryShape::mesh, Bandwidth(3e9), 1, {2, 3}, 2}));
  EXPECT_EQ(again->remote_memory.stages, memory.stages);
  EXPECT_EQ(again->remote_memory.groups, 3);
  EXPECT_EQ(again->remote_memory.chunk, memory.chunk);
  EXPECT_TRUE(again->remote_memory.in_switch);
  EXPECT_EQ(platform->shared_bus->G, 0.5);
  EXPECT_TRUE(platform->replay_only);
}

TEST(Cluster, ADeviceWithoutAPeakMayHaveFilesThatTellItsKernels) {
  const std::string rest = "}\nnetwork: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]\n";
  const auto compute = [&](const std::string& file) {
    const auto read = parse("device: {memory_bandwidth: 1 TB/s" + file + rest);
    EXPECT_TRUE(read);
    return read->device.compute;
  };
  EXPECT_EQ(compute(""), TimeSource::recorded);
  EXPECT_EQ(compute(", kernel_table: a.csv"), TimeSource::automatic);
  EXPECT_EQ(compute(", kernel_model: a.model"), TimeSource::automatic);
}

TEST(Cluster, RefusesFactorsThatContradictEachOtherOrCannotBe) {
  const std::string rest = "\nnetwork: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]\n";
  const auto refused = [&](const std::string& in_step) {
    const auto read = parse("device: {is: h100-sxm, in_step: " + in_step + "}" + rest);
    return read ? std::string("read") : to_string(read.error());
  };
  EXPECT_THAT(refused("{factors: [{bits: 8, factor: 1}, {bits: 8, factor: 2}]}"),
              testing::HasSubstr("8 bits have two factors"));
  EXPECT_THAT(refused("{factors: [{bits: 8, factor: 0}]}"), testing::HasSubstr("/factor"));
  EXPECT_THAT(refused("{factors: [{factor: 1}]}"), testing::HasSubstr("/bits"));
  EXPECT_THAT(refused("{gap: -1 us}"), testing::HasSubstr("/gap"));
  EXPECT_EQ(refused("{gap: 0}"), "read");
}

// The peak that kernels reach and the peak that utilization refers to are different values.
TEST(Cluster, KeepsTheRatedPeakBesideTheOneThatRooflineTakes) {
  const std::string rest = "network: [{block: ring, size: 2, bandwidth: 1 GB/s, latency: 0}]\n";
  auto platform =
      parse("device: {is: h100-sxm, name: H800, precision: fp8, peak: 1 PFLOP/s}\n" + rest);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.peak.count(), 1e15);
  EXPECT_GT(platform->device.rated.count(), 1.9e15);
  EXPECT_EQ(platform->device.precision, "fp8");
  platform = parse("device: {peak: 1 PFLOP/s, memory_bandwidth: 1 TB/s}\n" + rest);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.rated.count(), 1e15);
  EXPECT_EQ(platform->device.precision, "");
  platform = parse("device: {memory_bandwidth: 1 TB/s}\n" + rest);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.rated.count(), 0) << "nothing says";
}

TEST(Cluster, WordForAllDimensionsIsRepeated) {
  const Result<Platform> platform =
      parse(std::string(kSmall) + "collectives: {all_reduce: ring}\n");
  ASSERT_TRUE(platform);
  EXPECT_EQ(platform->collectives.all_reduce.per_dim.size(), 2u);
  EXPECT_EQ(platform->collectives.reduce_scatter.per_dim.size(), 2u);
}

TEST(Cluster, ExamplesAreValidAndResolveToThemselves) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(std::string(core_testing::kSourceFolder) + "/examples/clusters")) {
    Findings findings;
    const Result<Platform> platform = read_cluster(entry.path().string(), findings);
    ASSERT_TRUE(platform) << to_string(platform.error());
    EXPECT_EQ(platform->name, entry.path().stem().string());
    const std::string resolved = resolved_cluster(*platform);
    const Result<Platform> again = parse(resolved);
    ASSERT_TRUE(again) << to_string(again.error()) << "\n" << resolved;
    EXPECT_EQ(resolved_cluster(*again), resolved);
    EXPECT_EQ(again->npu_count(), platform->npu_count());
    EXPECT_EQ(again->dims.back().bandwidth, platform->dims.back().bandwidth);
    EXPECT_EQ(again->collectives.all_reduce.per_dim, platform->collectives.all_reduce.per_dim);
    ++count;
  }
  EXPECT_GE(count, 7u);
}

TEST(Cluster, ResolvedHoldsEveryField) {
  const Result<Platform> platform = parse(kSmall);
  const std::string resolved = resolved_cluster(*platform);
  for (const char* part : {"block: \"switch\"", "bandwidth: \"450 GB/s\"", "latency: \"2 us\"",
                           "chunks: 4", "order: \"ascending\"", "endpoint_delay: \"0 ns\"",
                           "peak: \"989.4 TFLOP/s\"", "library: \"nccl\""}) {
    EXPECT_THAT(resolved, testing::HasSubstr(part));
  }
  const std::string ideal = resolved_cluster(*parse(std::string(kSmall) + "collectives: ideal\n"));
  EXPECT_THAT(ideal, testing::HasSubstr("all_to_all: [\"direct:1\", \"direct:1\"]"));
}

TEST(Cluster, GpusRunNcclUnlessSomethingElseIsSaid) {
  const auto library = [](const std::string& more, std::string_view of = kSmall) {
    const Result<Platform> platform = parse(std::string(of) + more);
    EXPECT_TRUE(platform) << to_string(platform.error());
    return platform ? platform->collectives.library : CollectiveLibrary::ideal;
  };
  EXPECT_EQ(library(""), CollectiveLibrary::nccl);
  EXPECT_EQ(library("collectives: nccl\n"), CollectiveLibrary::nccl);
  EXPECT_EQ(library("collectives: {policy: lifo}\n"), CollectiveLibrary::nccl);
  for (const char* own :
       {"collectives: ideal\n", "collectives: {chunks: 8}\n", "collectives: {all_reduce: ring}\n",
        "collectives: {order: themis}\n", "network_model: message\n", "endpoint_delay: 10 ns\n"})
    EXPECT_EQ(library(own), CollectiveLibrary::ideal) << own;
  EXPECT_EQ(library("network_model: message\ncollectives: nccl\n"), CollectiveLibrary::nccl);
  const std::string tpu =
      "device: tpu-v4\nnetwork:\n  - {block: ring, size: 4, link: tpu-v4-ici}\n";
  EXPECT_EQ(library("", tpu), CollectiveLibrary::ideal);
  for (const auto& [more, word] :
       {std::pair{"collectives: {library: nccl, all_reduce: ring}\n", "chooses algorithms itself"},
        std::pair{"collectives: {library: ideal, settings: {NCCL_ALGO: ring}}\n", "no library"},
        std::pair{"collectives: {chunks: 8, curves: a.yaml}\n", "no library"}}) {
    const Result<Platform> platform = parse(std::string(kSmall) + more);
    ASSERT_FALSE(platform) << more;
    EXPECT_THAT(platform.error().what, testing::HasSubstr(word));
  }
  EXPECT_FALSE(parse(tpu + "collectives: nccl\n"));
}

// NCCL's environment knows 0, 1 and 2 only, and these were refused.
TEST(Cluster, SettingsAreAsInTheEnvironment) {
  const auto settings = [](const std::string& text) {
    return parse(std::string(kSmall) + "collectives: {library: nccl, settings: {" + text + "}}\n");
  };
  for (const auto& [text, yes] :
       {std::pair{"0", false}, {"1", true}, {"2", true}, {"true", true}, {"false", false}}) {
    const auto platform =
        settings(std::string("NCCL_NVLS_ENABLE: ") + text + ", NCCL_COLLNET_ENABLE: " + text);
    ASSERT_TRUE(platform) << text << ' ' << to_string(platform.error());
    EXPECT_EQ(platform->collectives.settings.nvls, yes) << text;
    EXPECT_EQ(platform->collectives.settings.collnet, yes) << text;
  }
  for (const char* bad : {"3", "-1", "0.5", "yes please", "[]"})
    EXPECT_FALSE(settings(std::string("NCCL_NVLS_ENABLE: ") + bad)) << bad;
}

TEST(Cluster, CollectivesInStepsAreALibrarys) {
  const std::string file =
      "device: {is: h100-sxm, in_step: {collectives: 1.1}}\nnetwork:\n"
      "  - {block: switch, size: 8, link: nvlink4}\n";
  const auto platform = parse(file);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->device.in_step.collectives, 1.1);
  Findings none;
  const auto again = parse_cluster(resolved_cluster(*platform), "again", none);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again->device.in_step.collectives, 1.1);
  const auto ideal = parse(file + "collectives: ideal\n");
  ASSERT_FALSE(ideal);
  EXPECT_THAT(ideal.error().where, testing::HasSubstr("/device/in_step/collectives"));
}

TEST(Cluster, SchemaNamesEveryParameter) {
  const auto schema = nlohmann::json::parse(cluster_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], (nlohmann::json{"device"}));
  const auto& collectives = schema["properties"]["collectives"]["oneOf"][1];
  EXPECT_EQ(collectives["properties"]["chunks"]["default"], 4);
  EXPECT_EQ(schema["properties"]["network"]["items"]["properties"]["block"]["enum"].size(), 3u);
}

/// Pages generated from the tables; ORRERY_UPDATE_DOCS=1 writes them anew.
TEST(Cluster, ReferencePagesAreUpToDate) {
  const std::string folder = std::string(core_testing::kSourceFolder) + "/docs/reference/";
  for (const auto& [name, text] : {std::pair{"cluster.md", cluster_reference()},
                                   std::pair{"catalog.md", catalog_reference()}}) {
    if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(folder + name) << text;
    EXPECT_EQ(read_file(folder + name), text) << name << ": run with ORRERY_UPDATE_DOCS=1";
  }
}

TEST(Catalog, CanBeReadAndNamesItsSources) {
  const Result<void> fine = check_catalog();
  EXPECT_TRUE(fine) << to_string(fine.error());
  for (const DeviceEntry& each : devices()) {
    EXPECT_FALSE(each.source.empty()) << each.name;
    if (each.build.island == 0) continue;
    EXPECT_FALSE(each.build.source.empty()) << each.name;
  }
  for (const LinkEntry& each : links()) {
    EXPECT_FALSE(each.source.empty()) << each.name;
    EXPECT_FALSE(each.latency_source.empty()) << each.name;
  }
}

TEST(Catalog, IsComplete) {
  std::set<std::string_view> names;
  for (const DeviceEntry& each : devices()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_GT(each.memory_bandwidth.count(), 1e11);
    EXPECT_GT(each.memory.count(), 4'000'000'000);
    ASSERT_FALSE(each.peaks.empty());
    EXPECT_EQ(find_device(each.name), &each);
    EXPECT_TRUE(parse("device: " + std::string(each.name) +
                      "\nnetwork: [{block: ring, size: 2, link: nvlink4}]"))
        << each.name;
  }
  for (const LinkEntry& each : links()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_GT(each.bandwidth.count(), 1e9);
    EXPECT_EQ(find_link(each.name), &each);
  }
  EXPECT_EQ(find_device("abacus"), nullptr);
}

TEST(Cluster, ChunksMayBeLeftToAModel) {
  Findings findings;
  const std::string network =
      "version: 1\ndevice: h100-sxm\nnetwork: [{block: switch, size: 4, bandwidth: 10 GB/s, "
      "latency: 1 us}]\n";
  const auto best =
      parse_cluster(network + "collectives: {order: best, chunks: auto}", "c.yaml", findings);
  ASSERT_TRUE(best.has_value());
  EXPECT_TRUE(best->collectives.splits_by_model);
  EXPECT_EQ(best->collectives.inter_dimension, InterDimension::best);
  EXPECT_EQ(best->collectives.intra_dimension, IntraDimension::smallest_first);
  const auto first_come = parse_cluster(
      network + "collectives: {order: best, within: fifo, chunks: 8}", "c.yaml", findings);
  ASSERT_TRUE(first_come.has_value());
  EXPECT_FALSE(first_come->collectives.splits_by_model);
  EXPECT_EQ(first_come->collectives.splits, 8);
  EXPECT_EQ(first_come->collectives.intra_dimension, IntraDimension::fifo);
  const auto wrong = parse_cluster(network + "collectives: {chunks: many}", "c.yaml", findings);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().where, "c.yaml:/collectives/chunks");
}

TEST(Cluster, AnOrderOfChunksCanBeUsedInstead) {
  Platform platform;
  platform.collectives.library = CollectiveLibrary::nccl;
  ASSERT_TRUE(use_chunk_order(platform, "best").has_value());
  EXPECT_TRUE(platform.collectives.splits_by_model);
  EXPECT_EQ(platform.collectives.library, CollectiveLibrary::ideal);
  const auto wrong = use_chunk_order(platform, "worst");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().where, "--chunk-order");
}

TEST(Cluster, AFabricAloneIsNoCluster) {
  const auto error = [](std::string_view text) {
    Findings findings;
    const auto made = parse_cluster(text, "f", findings);
    return made ? std::string() : to_string(made.error());
  };
  for (const std::string_view text :
       {"4 1 3\n3\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 3 1Gbps 1us 0\n", "<system version='1'/>",
        " GPU0 GPU1\nGPU0 X PIX\nGPU1 PIX X\n", "devices: []\ninstances: []\n"}) {
    EXPECT_THAT(error(text), testing::ContainsRegex("a fabric, not a cluster(.|\n)*fabric: FILE"));
  }
  EXPECT_EQ(error("device: h100-sxm\ndevices: []\n").find("a fabric, not"), std::string::npos);
}

}  // namespace
}  // namespace orrery::platform
