// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/cost_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/intake/messages/message_graph.h"
#include "orrery/trace/tensorflow/cost_graph.h"

namespace orrery::intake {
namespace {

constexpr std::int64_t kMostMicroseconds =
    std::numeric_limits<std::int64_t>::max() / kPsPerUs / 1024;
constexpr std::uint32_t kMostDevices = 1u << 16;

/// Ids of the graph: the device's number, then the id of the node on it.
std::uint64_t id_of(std::uint32_t device, std::int64_t node) {
  return std::uint64_t{device} << 32 | static_cast<std::uint64_t>(node);
}

}  // namespace

Result<graph::Workload> read_cost_graph(trace::ByteSource& source, const std::string& where,
                                        Findings& findings) {
  MessageGraph graph(where, std::make_shared<StringPool>());
  std::map<std::string, std::uint32_t> devices;
  std::uint64_t nodes = 0, with_cost = 0;
  const auto add = [&](const trace::tensorflow::CostNode& node,
                       const std::string& place) -> Result<void> {
    if (node.cost_us < 0 || node.cost_us > kMostMicroseconds || node.id < 0)
      return fail(Errc::input_range, place,
                  fmt::format("node {} has the id {} and costs {} us", in_quotes(node.name),
                              node.id, node.cost_us));
    if (devices.size() == kMostDevices)
      return fail(Errc::limit_exceeded, place,
                  fmt::format("the graph has more than {} devices", kMostDevices));
    const auto device =
        devices.try_emplace(std::string(node.device), static_cast<std::uint32_t>(devices.size()))
            .first->second;
    MessageGraph::Deps deps;
    for (const std::int64_t input : node.inputs) {
      if (input < 0)
        return fail(Errc::input_range, place,
                    fmt::format("node {} waits for the node {}", in_quotes(node.name), input));
      deps.push_back(id_of(device, input));
    }
    ++nodes;
    if (node.cost_us > 0) ++with_cost;
    graph.compute(id_of(device, node.id), us(node.cost_us), device, std::move(deps), node.name);
    return {};
  };
  if (auto done = trace::tensorflow::read_cost_nodes(source, where, add); !done)
    return tl::unexpected(done.error());
  if (nodes == 0) return fail(Errc::input_empty, where, "the cost graph has no node");
  if (with_cost == 0)
    findings.add(FindingCode::default_assumed,
                 fmt::format("{}: no node has an estimated time", where), nodes);
  auto built = std::move(graph).finish(findings);
  if (!built) return tl::unexpected(built.error());
  graph::Workload made;
  made.graph_of_rank.push_back(0);
  made.graphs.push_back(std::make_shared<const graph::Graph>(*std::move(built)));
  return made;
}

}  // namespace orrery::intake
