// SPDX-License-Identifier: Apache-2.0
#include "random_fabrics.h"

#include <fmt/format.h>

#include <utility>

#include "orrery/platform/cluster/cluster.h"

namespace orrery::scale {

FabricMachine draw_fabric(Draw& draw, std::int64_t ranks) {
  const std::string port = fmt::format("port: {{bandwidth: {} GB/s, latency: {} ns}}",
                                       draw.of({100, 100, 37}), draw.of({0, 512, 700}));
  const std::int64_t devices = draw.of<std::int64_t>({1, 1, 4});
  const bool in_hosts = devices > 1 && ranks % devices == 0;
  const std::int64_t per_leaf = draw.of<std::int64_t>({2, 4, 8, 16});
  std::string network =
      fmt::format("{{kind: fat_tree, per_leaf: {}, radix: {}, oversubscription: {}, {}}}", per_leaf,
                  ranks > 96 ? 4096 : draw.of({64, 4096}), draw.of({1, 1, 2}), port);
  std::string hosts = fmt::format("[{{count: {}, devices: 1}}]", ranks);
  switch (draw.between(ranks % 4 == 0 ? 0 : 2, in_hosts ? 5 : 4)) {
    case 0:
      network = fmt::format("{{kind: torus, sizes: [{}, {}], {}}}", ranks / 4, 4, port);
      break;
    case 1:
      network = fmt::format("{{kind: mesh, sizes: [{}, {}], {}}}", ranks / 4, 4, port);
      break;
    case 2:
      network = fmt::format("{{kind: switch, {}}}", port);
      break;
    case 5: {
      hosts = fmt::format(
          "[{{count: {}, devices: {}, nics: {}, scale_up: {{bandwidth: 300 GB/s, latency: 256 "
          "ns}}, "
          "pcie: {{bandwidth: 128 GB/s, latency: 64 ns}}}}]",
          ranks / devices, devices, devices);
      const std::string rails = draw.of<std::string>({"rail_optimized", "rail_only"});
      network = fmt::format("{{kind: {}, per_leaf: {}, radix: 4096, {}}}", rails, per_leaf, port);
      break;
    }
    default:
      break;
  }
  const std::string fabric =
      fmt::format("fabric: {{hosts: {}, network: {}, routing: {}}}", hosts, network,
                  draw.of<std::string>({"known", "known", "ecmp", "spray"}));
  Findings findings;
  auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + fabric, "drawn", findings);
  if (!made) return {fabric, {}};
  return {fabric, *std::move(made)};
}

}  // namespace orrery::scale
