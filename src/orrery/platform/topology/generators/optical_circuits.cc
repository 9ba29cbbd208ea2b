// SPDX-License-Identifier: Apache-2.0
//
// Optical circuits between each two of several blocks, without switches above them: Poutievski et
// al., "Jupiter evolving", SIGCOMM 2022, section 3 (a uniform mesh). A circuit is a node of its
// own, since light is not routed.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/platform/topology/generators/generator_parts.h"

namespace orrery::platform::generators {

namespace {

/// Ports by what they are of, in order.
std::vector<std::vector<NodeIndex>> by_block(std::span<const Port> ports) {
  std::vector<std::vector<NodeIndex>> blocks;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (i == 0 || ports[i].host != ports[i - 1].host) blocks.emplace_back();
    blocks.back().push_back(ports[i].node);
  }
  return blocks;
}

}  // namespace

void join_optically(TopologyBuilder& builder, NodeIndex from, NodeIndex to, std::string name,
                    const LinkFigures& figures) {
  LinkFigures half = figures, rest = figures;
  if (half.latency) half.latency = Time(half.latency->count() / 2);
  if (rest.latency) rest.latency = *rest.latency - *half.latency;
  const NodeIndex circuit = builder.add(NodeClass::optical, std::move(name));
  builder.link(from, circuit, half);
  builder.link(circuit, to, rest);
  builder.link(to, circuit, half);
  builder.link(circuit, from, rest);
}

std::optional<KeyError> join_circuits(TopologyBuilder& builder, std::span<const Port> ports,
                                      const NetworkPlan& plan) {
  const auto blocks = by_block(ports);
  if (blocks.size() < 2) return std::nullopt;
  std::size_t minimum = blocks.front().size();
  for (const auto& block : blocks) minimum = std::min(minimum, block.size());
  const std::size_t others = blocks.size() - 1, pairs = minimum / others;
  if (pairs == 0)
    return KeyError{"/network/kind",
                    fmt::format("each of {1} blocks (or hosts) has {0} circuits, but needs one to "
                                "each of the {2} others",
                                minimum, blocks.size(), others),
                    "add ports to the blocks"};
  const double circuits = static_cast<double>(blocks.size()) * static_cast<double>(others) / 2 *
                          static_cast<double>(pairs);
  if (!builder.has_room(4 * circuits, circuits)) return std::nullopt;
  for (std::size_t a = 0; a < blocks.size(); ++a) {
    for (std::size_t b = a + 1; b < blocks.size(); ++b) {
      for (std::size_t i = 0; i < pairs; ++i) {
        join_optically(builder, blocks[a][i * others + b - 1], blocks[b][i * others + a],
                       fmt::format("{}ocs{}.{}.{}", plan.prefix, a, b, i), plan.port);
      }
    }
  }
  return std::nullopt;
}

}  // namespace orrery::platform::generators
