// SPDX-License-Identifier: Apache-2.0
//
// Collectives on a mesh of devices, by several network models: the figures of docs/noc.md.
//
//   wafer_collectives SIDE NETWORK COLLECTIVE BYTES ALGORITHM [repeats]
//
// SIDE x SIDE devices, links of 32 GB/s and 1 ns; COLLECTIVE is all-reduce or all-to-all; ALGORITHM
// as in cluster files: "ring,ring", "direct,direct", "one_ring", "one_direct". With `repeats`,
// flits are skipped (`noc: {skip: repeats}`). Prints the simulated time, the CPU time of the
// simulation, and how many flits were simulated.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/collectives/algorithms/single_collective.h"

int main(int argc, char** argv) {
  using namespace orrery;
  if (argc != 6 && argc != 7) {
    std::fprintf(stderr,
                 "usage: wafer_collectives SIDE NETWORK COLLECTIVE BYTES ALGORITHM [repeats]\n");
    return 2;
  }
  const std::string side = argv[1], collective = argv[3];
  const std::uint32_t devices = static_cast<std::uint32_t>(std::stoul(side) * std::stoul(side));
  Findings findings;
  auto platform = platform::parse_cluster(
      fmt::format("device: {{peak: 10 TFLOP/s, memory_bandwidth: 1 TB/s}}\n"
                  "network: [{{block: ring, size: {0}}}, {{block: ring, size: {0}}}]\n"
                  "network_model: {1}\n"
                  "fabric:\n"
                  "  hosts: [{{count: {2}, devices: 1}}]\n"
                  "  network: {{kind: mesh, sizes: [{0}, {0}], port: {{bandwidth: 32 GB/s, "
                  "latency: 1 ns}}}}\n"
                  "collectives: {{{3}: [{4}]}}\n{5}",
                  side, argv[2], devices, collective == "all-reduce" ? "all_reduce" : "all_to_all",
                  argv[5], argc == 7 ? fmt::format("noc: {{skip: {}}}\n", argv[6]) : ""),
      "wafer", findings);
  if (!platform) {
    std::fprintf(stderr, "wafer_collectives: %s\n", to_string(platform.error()).c_str());
    return 1;
  }
  std::vector<std::uint32_t> ranks(devices);
  std::iota(ranks.begin(), ranks.end(), 0u);
  const graph::Workload work =
      study::single_collective(collective == "all-reduce" ? graph::CollectiveType::all_reduce
                                                          : graph::CollectiveType::all_to_all,
                               Bytes(std::atoll(argv[4])), ranks, devices);
  const std::clock_t begin = std::clock();
  const auto result = study::simulate_collectives(work, *platform, {});
  if (!result) {
    std::fprintf(stderr, "wafer_collectives: %s\n", to_string(result.error()).c_str());
    return 1;
  }
  std::printf("%s,%s,%s,%s,%s,%.3f us,%.1f CPU s\n", argv[1], argv[2], argv[3], argv[4], argv[5],
              static_cast<double>(result->end.count()) / 1e6,
              static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  for (const Finding& one : result->findings.list()) {
    for (const std::string& place : one.places) std::printf("  %s\n", place.c_str());
  }
  return 0;
}
