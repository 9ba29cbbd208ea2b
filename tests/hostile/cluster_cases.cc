// SPDX-License-Identifier: Apache-2.0
//
// Damaged cluster files.
#include "hostile_case.h"

namespace orrery::hostile {

namespace fs = std::filesystem;

namespace {

Case cluster(std::string name, std::string text, std::vector<std::string> says, int exit_code = 2) {
  says.insert(says.begin(), "two.yaml");
  return {"cluster_" + std::move(name),
          kRun,
          exit_code,
          std::move(says),
          {{"two.yaml", std::move(text)}}};
}

/// A ring of two with these further keys.
std::string ring(const std::string& keys) {
  return "device: h100-sxm\nnetwork: [{block: ring, size: 2, " + keys + "}]\n";
}

std::string merge_bomb() {
  std::string text = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            "]\n";
  }
  return text;
}

std::vector<Case> value_cases() {
  const std::string good = ring("link: nvlink4");
  return {
      cluster("empty", "", {}),
      cluster("cut", "device: {is: h100-sxm", {"two.yaml:1"}),
      cluster("tabs", "network:\n\t- {block: ring}\n", {"two.yaml:2"}),
      cluster("no_network", "device: h100-sxm\n", {"/network"}),
      cluster("unknown_key", good + "colectives: {}\n", {"/colectives", "collectives"}),
      cluster("unknown_inner_key", ring("link: nvlink4, latncy: 1 us"),
              {"/network/0/latncy", "latency"}),
      cluster("unknown_device", "device: h100-sxn\n" + ring("link: nvlink4").substr(17),
              {"/device", "h100-sxm"}),
      cluster("unknown_link", ring("link: nvlink44"), {"/network/0/link"}),
      cluster("no_unit", ring("bandwidth: 50, latency: 0"), {"/network/0/bandwidth"}),
      cluster("wrong_unit", ring("bandwidth: 50 GB, latency: 0"), {"/network/0/bandwidth"}),
      cluster("unknown_unit", ring("bandwidth: 50 XB/s, latency: 0"), {"/network/0/bandwidth"}),
      cluster("bandwidth_0", ring("bandwidth: 0 GB/s, latency: 0"), {"/network/0/bandwidth"}),
      cluster("bandwidth_negative", ring("bandwidth: -50 GB/s, latency: 0"),
              {"/network/0/bandwidth"}),
      cluster("bandwidth_nan", ring("bandwidth: nan GB/s, latency: 0"), {"/network/0/bandwidth"}),
      cluster("bandwidth_1e999", ring("bandwidth: 1e999 GB/s, latency: 0"),
              {"/network/0/bandwidth"}),
      cluster("latency_negative", ring("bandwidth: 50 GB/s, latency: -1 us"),
              {"/network/0/latency"}),
      cluster("latency_of_years", ring("bandwidth: 50 GB/s, latency: 1e30 s"),
              {"/network/0/latency"}),
      cluster("size_0", "device: h100-sxm\nnetwork: [{block: ring, size: 0, link: nvlink4}]\n",
              {"/network/0/size"}),
      cluster("size_a_word",
              "device: h100-sxm\nnetwork: [{block: ring, size: two, link: nvlink4}]\n",
              {"/network/0/size"}),
      cluster("size_1e12",
              "device: h100-sxm\nnetwork: [{block: ring, size: 1000000000000, link: nvlink4}]\n",
              {"/network/0/size"}),
  };
}

}  // namespace

std::vector<Case> cluster_cases() {
  const std::string good = ring("link: nvlink4");
  std::string crowd = good + "deviations:\n";
  for (int i = 1; i <= 100'000; ++i)
    crowd += "- {ranks: 1, compute_time: " + std::to_string(i) + "}\n";
  std::vector<Case> cases = {
      {"cluster_larger_than_the_workload",
       kRun,
       3,
       {"w.2.et", "3 devices", "2 ranks"},
       {{"two.yaml", "device: h100-sxm\nnetwork: [{block: ring, size: 3, link: nvlink4}]\n"}}},
      {"cluster_smaller_than_the_workload", kRun, 2, {"w", "E1008"}, {{"w.2.et", "?"}}},
      cluster("future_version", good + "version: 2\n", {"/version"}),
      cluster("chunks_1e18", good + "collectives: {chunks: 1000000000000000000}\n",
              {"/collectives/chunks"}),
      cluster("deviation_of_all_numbers", good + "deviations: [{ranks: 0-4294967295}]\n",
              {"/deviations/0/ranks", "4294967295"}),
      cluster("deviation_backwards", good + "deviations: [{ranks: 1-0}]\n",
              {"/deviations/0/ranks", "1-0"}),
      cluster("deviations_of_one_rank", crowd, {"/deviations/1/ranks"}),
      cluster("deviation_twice", good + "deviations: [{ranks: 0-1}, {ranks: 1}]\n",
              {"/deviations/1/ranks", "rank 1"}),
      cluster("deviation_of_no_dimension",
              good + "deviations: [{ranks: 0, ports: [{dimension: 1}]}]\n",
              {"/deviations/0/ports/0/dimension"}),
      cluster("deviation_without_bandwidth",
              good + "deviations: [{ranks: 0, ports: [{dimension: 0, bandwidth: 0}]}]\n",
              {"/deviations/0/ports/0/bandwidth"}),
      cluster("not_utf8", "device: \xff\n", {"two.yaml:byte 8"}),
      cluster("alias_bomb", merge_bomb(), {"two.yaml:"}, 5),
      cluster("deep_lists", repeated("[", 100'000), {"two.yaml:1"}),
      cluster("deep_maps", repeated("{a: ", 100'000) + repeated("}", 100'000), {"two.yaml:1"}, 5),
      cluster("deep_block", repeated("- ", 100'000), {"two.yaml:1"}, 5),
      cluster("million_values", "[" + repeated("1,", 1'100'000) + "1]", {"two.yaml"}, 5),
      cluster("long_key", std::string(1 << 20, 'k') + ": 1\n", {}),
      {"cluster_of_17_MB", kRun, 5, {"two.yaml"}, {}, too_large("two.yaml", "# a comment\n")},
      cluster("of_astra",
              "topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 5 ]\nlatency: [ 1 ]\n",
              {"ASTRA-sim"}),
      {"cluster_missing",
       kRun,
       2,
       {"two.yaml", "E1001"},
       {},
       [](const fs::path& f) { fs::remove(f / "two.yaml"); }},
  };
  const std::vector<Case> values = value_cases();
  cases.insert(cases.end(), values.begin(), values.end());
  return cases;
}

}  // namespace orrery::hostile
