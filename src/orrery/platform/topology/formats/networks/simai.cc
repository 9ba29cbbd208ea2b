// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/simai.h"

#include <fmt/format.h>

#include <vector>

#include "orrery/platform/topology/formats/common/switch_tiers.h"
#include "orrery/platform/topology/formats/networks/ns3.h"

namespace orrery::platform {

Result<Topology> read_simai(std::string_view text, const std::string& where, Findings& findings) {
  Result<Ns3Text> file = read_ns3_text(text, where, {2, 3}, findings);
  if (!file) return tl::unexpected(file.error());
  const std::uint64_t nodes = file->counts[0], per_server = file->counts[1];
  if (per_server == 0)
    return fail(Errc::input_range, where, "0 GPUs per server",
                "set the second count of the first line");
  std::vector<NodeClass> kinds(nodes, NodeClass::device);
  for (std::size_t i = 0; i < file->switches.size(); ++i)
    kinds[file->switches[i]] = i < file->counts[2] ? NodeClass::nvswitch : NodeClass::switched;
  TopologyBuilder builder(file->word.empty() ? "SimAI network" : "SimAI network of " + file->word,
                          "SimAI text");
  std::uint64_t gpus = 0;
  std::uint32_t host = 0;
  for (NodeIndex node = 0; node < nodes; ++node) {
    if (kinds[node] != NodeClass::device) {
      builder.add(
          kinds[node],
          fmt::format("{}{}", kinds[node] == NodeClass::nvswitch ? "nvswitch" : "switch", node));
      continue;
    }
    if (gpus++ % per_server == 0) host = builder.add_host();
    builder.add(NodeClass::device, fmt::format("gpu{}", node), host);
  }
  for (Link& link : file->links) {
    const bool up = kinds[link.from] == NodeClass::nvswitch,
               down = kinds[link.to] == NodeClass::nvswitch;
    if (up || down) link.figures.kind = LinkClass::scale_up;
    const NodeIndex nvswitch = up ? link.from : link.to, peer = up ? link.to : link.from;
    if ((up || down) && builder.host(nvswitch) == Topology::kNoHost)
      builder.set_host(nvswitch, builder.host(peer));
    builder.join(link.from, link.to, link.figures);
  }
  assign_tiers(builder);
  return builder.finish(where);
}

}  // namespace orrery::platform
