// SPDX-License-Identifier: Apache-2.0
//
// Damaged configurations: each ends in one error that names the file and the place, never in a
// crash or a hang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/astra/astra_files.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {

namespace {

using Outcome = Result<void>;

Outcome network(std::string_view text) {
  Platform platform;
  Findings findings;
  return apply_network(text, "n.yml", platform, findings);
}

Platform two_dims() {
  Platform platform;
  platform.dims = {Dimension{Block::ring, 4, Bandwidth(1e9), 1},
                   Dimension{Block::switched, 4, Bandwidth(1e9), 1}};
  return platform;
}

Outcome system_file(std::string_view text) {
  Platform platform = two_dims();
  Findings findings;
  AstraInputs inputs;
  inputs.system = "s.json";
  return apply_system(text, inputs, platform, findings);
}

Outcome memory(std::string_view text) {
  Platform platform = two_dims();
  Findings findings;
  return apply_memory(text, "m.json", platform, findings);
}

template <class T>
Outcome dropped(const Result<T>& result) {
  if (!result) return tl::unexpected(result.error());
  return {};
}

Outcome custom(std::string_view text) { return dropped(parse_custom_by_node(text, "p.yaml")); }
Outcome cluster(std::string_view text) {
  Findings findings;
  return dropped(parse_cluster(text, "c.yaml", findings));
}

struct Case {
  const char* label;
  Outcome (*read)(std::string_view);
  std::string text;
  Errc code;
  std::string place;  ///< part of Error::where
};

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

/// "a: &a [x,x,…]", then each next one ten times the one before.
std::string alias_bomb(int levels) {
  std::string text = "l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < levels; ++i) {
    text += "l" + std::to_string(i) + ": &l" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "*l" : ", *l") + std::to_string(i - 1);
    text += "]\n";
  }
  return text;
}

const std::string kDims = "npus_count: [ 4 ]\nbandwidth: [ 50 ]\nlatency: [ 5 ]\n";
const std::string kCluster =
    "device: h100-sxm\nnetwork: [{block: switch, size: 8, link: nvlink4}]\n";

std::string with_stage(const std::string& keys) {
  return kCluster + "remote_memory: {kind: pool, bandwidth: 1 GB/s, stages: [{bandwidth: 1 GB/s, " +
         keys + "}]}\n";
}

const std::vector<Case> kCases = {
    // Network YAML.
    {"empty", network, "", Errc::config_type, "n.yml"},
    {"scalar", network, "Ring", Errc::config_type, "n.yml"},
    {"not yaml", network, "topology: [ Ring", Errc::config_syntax, "n.yml:1"},
    {"tabs", network, "topology:\n\t- Ring", Errc::config_syntax, "n.yml:2"},
    {"two documents", network, "a: 1\n---\nb: 2\n", Errc::config_syntax, "n.yml:2"},
    {"no topology", network, kDims, Errc::config_missing_key, "n.yml:/topology"},
    {"no latency", network, "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50 ]\n",
     Errc::config_missing_key, "/latency"},
    {"empty topology", network, "topology: []\n" + kDims, Errc::config_range, "/topology"},
    {"topology is text", network, "topology: Ring\n" + kDims, Errc::config_type, "/topology"},
    {"unknown block", network, "topology: [ Torus ]\n" + kDims, Errc::config_range, "/topology/0"},
    {"unequal lists", network, "topology: [ Ring, Ring ]\n" + kDims, Errc::config_conflict,
     "/npus_count"},
    {"one npu", network,
     "topology: [ Ring ]\nnpus_count: [ 1 ]\nbandwidth: [ 50 ]\nlatency: [ 5 ]\n",
     Errc::config_range, "/npus_count/0"},
    {"half an npu", network,
     "topology: [ Ring ]\nnpus_count: [ 2.5 ]\nbandwidth: [ 50 ]\nlatency: [ 5 ]\n",
     Errc::config_range, "/npus_count/0"},
    {"word for a number", network,
     "topology: [ Ring ]\nnpus_count: [ many ]\nbandwidth: [ 50 ]\nlatency: [ 5 ]\n",
     Errc::config_type, "/npus_count/0"},
    {"no bandwidth", network,
     "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 0 ]\nlatency: [ 5 ]\n",
     Errc::config_range, "/bandwidth/0"},
    {"not a number", network,
     "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ .nan ]\nlatency: [ 5 ]\n",
     Errc::config_type, "/bandwidth/0"},
    {"infinite bandwidth", network,
     "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 1e308 ]\nlatency: [ 5 ]\n",
     Errc::config_range, "/bandwidth/0"},
    {"negative latency", network,
     "topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 5 ]\nlatency: [ -1 ]\n",
     Errc::config_range, "/latency/0"},
    {"too many npus", network,
     "topology: [ Ring, Ring ]\nnpus_count: [ 2000000000, 2000000000 ]\nbandwidth: [ 5, 5 "
     "]\nlatency: [ 1, 1 ]\n",
     Errc::limit_exceeded, "/npus_count"},
    {"key twice", network, "topology: [ Ring ]\ntopology: [ Ring ]\n" + kDims, Errc::config_syntax,
     "n.yml:2"},
    {"not utf-8", network, "topology: [ \xff ]\n" + kDims, Errc::config_syntax, "n.yml:byte 12"},
    {"zero bytes", network, std::string("topology: [ \0 ]", 15), Errc::config_syntax,
     "n.yml:byte 12"},
    {"deep flow, never closed", network, repeated("[", 100'000), Errc::config_syntax, "n.yml:1:"},
    {"deep flow", network, repeated("[", 500) + repeated("]", 500), Errc::limit_exceeded,
     "n.yml:1:"},
    {"deep flow maps", network, repeated("{a: ", 100'000) + repeated("}", 100'000),
     Errc::limit_exceeded, "n.yml:1:"},
    {"deep block", network, repeated("- ", 100'000), Errc::limit_exceeded, "n.yml:1:"},
    {"deep question marks", network, repeated("? ", 100'000), Errc::config_syntax, "n.yml:1:"},
    {"alias bomb", network, alias_bomb(9), Errc::limit_exceeded, "n.yml:"},
    {"alias of itself", network, "a: &a [*a]\n", Errc::config_syntax, "n.yml:1:"},
    {"unknown alias", network, "a: *b\n", Errc::config_syntax, "n.yml:1:"},
    {"many values on one line", network, "[" + repeated("1,", 1'100'000), Errc::limit_exceeded,
     "n.yml:byte"},
    {"huge", network, repeated("# comment\n", 2'000'000), Errc::limit_exceeded, "n.yml"},
    // System JSON.
    {"empty", system_file, "", Errc::config_syntax, "s.json:1:"},
    {"cut off", system_file, R"({"scheduling-policy": "LI)", Errc::config_syntax, "s.json:1:"},
    {"trailing comma", system_file, "{\n\"a\": 1,\n}", Errc::config_syntax, "s.json:3:"},
    {"a list", system_file, "[]", Errc::config_type, "s.json"},
    {"bad policy", system_file, R"({"scheduling-policy": "LIFI"})", Errc::config_range,
     "s.json:/scheduling-policy"},
    {"bad optimization", system_file, R"({"collective-optimization": 3})", Errc::config_type,
     "/collective-optimization"},
    {"bad algorithm", system_file, R"({"all-reduce-implementation": ["rings"]})",
     Errc::config_range, "/all-reduce-implementation/0"},
    {"algorithm is a number", system_file, R"({"all-gather-implementation": [1]})",
     Errc::config_type, "/all-gather-implementation/0"},
    {"algorithm not in a list", system_file, R"({"all-gather-implementation": "ring"})",
     Errc::config_type, "/all-gather-implementation"},
    {"too many algorithms", system_file,
     R"({"all-to-all-implementation": ["ring", "ring", "ring"]})", Errc::config_conflict,
     "/all-to-all-implementation"},
    {"zero window", system_file, R"({"all-to-all-implementation": ["direct0"]})",
     Errc::config_range, "/all-to-all-implementation/0"},
    {"two custom prefixes", system_file, R"({"all-reduce-implementation-custom": ["a", "b"]})",
     Errc::config_range, "/all-reduce-implementation-custom"},
    {"no custom file", system_file, R"({"per-node-custom-implementation": "/no/such/file"})",
     Errc::config_not_found, "/per-node-custom-implementation"},
    {"negative delay", system_file, R"({"endpoint-delay": -5})", Errc::config_range,
     "/endpoint-delay"},
    {"text for a number", system_file, R"({"endpoint-delay": "ten"})", Errc::config_type,
     "/endpoint-delay"},
    {"no active chunks", system_file, R"({"active-chunks-per-dimension": 0})", Errc::config_range,
     "/active-chunks-per-dimension"},
    {"absurd splits", system_file, R"({"preferred-dataset-splits": 1e18})", Errc::config_range,
     "/preferred-dataset-splits"},
    {"negative splits", system_file, R"({"preferred-dataset-splits": -1})", Errc::config_range,
     "/preferred-dataset-splits"},
    {"overflowing number", system_file, R"({"local-mem-bw": 1e999})", Errc::config_range,
     "s.json:1:"},
    {"overflowing unit", system_file, R"({"peak-perf": 1e300})", Errc::config_range, "/peak-perf"},
    {"negative bandwidth", system_file, R"({"local-mem-bw": -1})", Errc::config_range,
     "/local-mem-bw"},
    {"key twice", system_file, R"({"L": 1, "L": 2})", Errc::config_syntax, "s.json"},
    {"deep", system_file, R"({"a": )" + repeated("[", 100'000), Errc::limit_exceeded, "s.json"},
    {"deep objects", system_file, repeated(R"({"a":)", 100'000), Errc::limit_exceeded, "s.json"},
    {"many values", system_file, R"({"a": [)" + repeated("1,", 1'100'000) + "1]}",
     Errc::limit_exceeded, "s.json"},
    // Memory JSON.
    {"no type", memory, "{}", Errc::config_missing_key, "m.json:/memory-type"},
    {"unknown type", memory, R"({"memory-type": "MEMORY_POOLS"})", Errc::config_range,
     "/memory-type"},
    {"no bandwidth", memory, R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1})",
     Errc::config_missing_key, "/remote-mem-bw"},
    {"zero bandwidth", memory,
     R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 1, "remote-mem-bw": 0.5})",
     Errc::config_range, "/remote-mem-bw"},
    {"no nodes", memory,
     R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1, "remote-mem-bw": 1})",
     Errc::config_missing_key, "/num-nodes"},
    {"too few nodes", memory,
     R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-latency": 1, "remote-mem-bw": 1, "num-nodes": 1, "num-npus-per-node": 2})",
     Errc::config_conflict, "/num-nodes"},
    // Per-node custom collectives.
    {"node is a word", custom, "first: a/b\n", Errc::config_type, "p.yaml:/first"},
    {"prefix is a number", custom, "7: 8\n", Errc::config_type, "p.yaml:/7"},
    // Cluster files.
    {"empty", cluster, "", Errc::config_type, "c.yaml:/"},
    {"no network", cluster, "device: h100-sxm\n", Errc::config_missing_key, "c.yaml:/network"},
    {"unknown key", cluster, kCluster + "colectives: {}\n", Errc::config_unknown_key,
     "c.yaml:/colectives"},
    {"unknown inner key", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 2, link: nvlink4, latncy: 1 us}]\n",
     Errc::config_unknown_key, "/network/0/latncy"},
    {"unknown device", cluster,
     "device: h100-sxn\nnetwork: [{block: ring, size: 2, link: nvlink4}]\n", Errc::config_range,
     "/device/is"},
    {"unknown link", cluster, "device: h100-sxm\nnetwork: [{block: ring, size: 2, link: nvlink}]\n",
     Errc::config_range, "/network/0/link"},
    {"no unit", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 2, bandwidth: 50, latency: 0}]\n",
     Errc::config_unit, "/network/0/bandwidth"},
    {"wrong unit", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 2, bandwidth: 50 GB, latency: 0}]\n",
     Errc::config_unit, "/network/0/bandwidth"},
    {"no bandwidth", cluster, "device: h100-sxm\nnetwork: [{block: ring, size: 2, latency: 0}]\n",
     Errc::config_missing_key, "/network/0/bandwidth"},
    {"zero bandwidth", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 2, bandwidth: 0 GB/s, latency: 0}]\n",
     Errc::config_range, "/network/0/bandwidth"},
    {"size is text", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: two, link: nvlink4}]\n", Errc::config_type,
     "/network/0/size"},
    {"size too large", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 5000, link: nvlink4}, {block: ring, size: "
     "5000, link: nvlink4}]\n",
     Errc::limit_exceeded, "/network/1/size"},
    {"no dimension", cluster, "device: h100-sxm\nnetwork: []\n", Errc::config_range, "/network"},
    {"future version", cluster, kCluster + "version: 2\n", Errc::config_range, "/version"},
    {"halving on 6", cluster,
     "device: h100-sxm\nnetwork: [{block: switch, size: 6, link: nvlink4}]\ncollectives: "
     "{all_reduce: halving_doubling}\n",
     Errc::config_conflict, "/collectives/all_reduce"},
    {"tree for all-gather", cluster, kCluster + "collectives: {all_gather: double_binary_tree}\n",
     Errc::config_conflict, "/collectives/all_gather"},
    {"too few algorithms", cluster,
     "device: h100-sxm\nnetwork: [{block: ring, size: 2, link: nvlink4}, {block: ring, size: 2, "
     "link: ib-ndr}]\ncollectives: {all_reduce: [ring]}\n",
     Errc::config_conflict, "/collectives/all_reduce"},
    {"window of a ring", cluster, kCluster + "collectives: {all_reduce: \"ring:2\"}\n",
     Errc::config_range, "/collectives/all_reduce"},
    {"zero chunks", cluster, kCluster + "collectives: {chunks: 0}\n", Errc::config_range,
     "/collectives/chunks"},
    {"unknown precision", cluster,
     "device: {is: v100-sxm2, precision: bf16}\nnetwork: [{block: ring, size: 2, link: "
     "nvlink2}]\n",
     Errc::config_range, "/device/precision"},
    {"device without memory", cluster,
     "device: {peak: 1 TFLOP/s}\nnetwork: [{block: ring, size: 2, link: nvlink2}]\n",
     Errc::config_missing_key, "/device/memory_bandwidth"},
    {"remote without bandwidth", cluster, kCluster + "remote_memory: {kind: pool}\n",
     Errc::config_missing_key, "/remote_memory/bandwidth"},
    {"stages of nothing", cluster, kCluster + "remote_memory: {stages: [{bandwidth: 1 GB/s}]}\n",
     Errc::config_conflict, "/remote_memory/stages"},
    {"switches of nothing", cluster, kCluster + "remote_memory: {in_switch: true}\n",
     Errc::config_conflict, "/remote_memory/in_switch"},
    {"ring without places", cluster, with_stage("shape: ring"), Errc::config_missing_key,
     "/remote_memory/stages/0/sizes"},
    {"ring of two sizes", cluster, with_stage("shape: ring, sizes: [2, 2]"), Errc::config_range,
     "/remote_memory/stages/0/sizes"},
    {"endless mesh", cluster, with_stage("shape: mesh, sizes: [1048576, 1048576]"),
     Errc::config_range, "/remote_memory/stages/0/sizes"},
    {"no place", cluster, with_stage("shape: mesh, sizes: [2, 0]"), Errc::config_range,
     "/remote_memory/stages/0/sizes"},
    {"links of a mesh", cluster, with_stage("shape: mesh, sizes: [2], links: 2"),
     Errc::config_conflict, "/remote_memory/stages/0/links"},
    {"sizes of links", cluster, with_stage("sizes: [2]"), Errc::config_conflict,
     "/remote_memory/stages/0/sizes"},
    {"astra network file", cluster, "topology: [ Ring ]\n" + kDims, Errc::config_conflict,
     "c.yaml"},
    {"alias bomb", cluster, alias_bomb(9), Errc::limit_exceeded, "c.yaml:"},
    {"long key", cluster, std::string(500, 'k') + ": 1\n", Errc::config_unknown_key, "c.yaml:/kkk"},
};

TEST(Damage, EachGivesOneErrorThatNamesThePlace) {
  std::size_t count = 0;
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.label + std::string(": ") + each.text.substr(0, 100));
    const auto start = std::chrono::steady_clock::now();
    const Outcome outcome = each.read(each.text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "hangs";
    ++count;
    if (outcome) {
      ADD_FAILURE() << "was accepted";
      continue;
    }
    EXPECT_EQ(name(outcome.error().code), name(each.code)) << to_string(outcome.error());
    EXPECT_THAT(outcome.error().where, testing::HasSubstr(each.place))
        << to_string(outcome.error());
    EXPECT_FALSE(outcome.error().what.empty());
    EXPECT_LT(to_string(outcome.error()).size(), 1500u);
    std::size_t bad = 0;
    EXPECT_TRUE(is_utf8(to_string(outcome.error()), bad)) << to_string(outcome.error());
  }
  EXPECT_GE(count, 90u);
}

TEST(Damage, FilesThatAreNotThere) {
  Findings findings;
  EXPECT_EQ(read_cluster("/no/such/file.yaml", findings).error().code, Errc::config_not_found);
  EXPECT_EQ(read_cluster(testing::TempDir(), findings).error().code, Errc::config_not_found)
      << "a folder";
  AstraInputs inputs;
  inputs.network = "/no/such/network.yml";
  EXPECT_EQ(read_astra(inputs, findings).error().where, "/no/such/network.yml");
}

/// A file that never ends is read up to the limit only.
TEST(Damage, EndlessFile) {
  Findings findings;
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "no /dev/zero here";
  EXPECT_EQ(read_cluster("/dev/zero", findings).error().code, Errc::limit_exceeded);
}

TEST(Damage, HintsNameTheNearest) {
  Findings findings;
  const auto hint = [&](std::string_view text) {
    return parse_cluster(text, "c", findings).error().hint;
  };
  EXPECT_EQ(hint(kCluster + "colectives: {}\n"), "did you mean \"collectives\"?");
  EXPECT_EQ(hint("device: h100-sxn\nnetwork: [{block: ring, size: 2, link: nvlink4}]\n"),
            "did you mean \"h100-sxm\"?");
  EXPECT_EQ(hint(kCluster + "collectives: {all_reduce: halving-doubling}\n"),
            "did you mean \"halving_doubling\"?");
}

}  // namespace
}  // namespace orrery::platform
