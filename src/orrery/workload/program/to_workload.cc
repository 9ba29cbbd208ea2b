// SPDX-License-Identifier: Apache-2.0
//
// Converts a program to simulator input: graphs by role, groups by axis.
#include <fmt/format.h>

#include <array>

#include "orrery/core/limits.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::workload {
namespace {

Result<graph::GraphRef> graph_of(const Program& program, std::uint32_t role,
                                 const std::shared_ptr<StringPool>& strings,
                                 const std::shared_ptr<graph::KernelTable>& kernels,
                                 NodeNames names, Findings& findings) {
  const std::string& where = program.roles[role].name;
  const std::uint64_t nodes = node_count(program, role);
  if (nodes > limits::kNodesPerRank) {
    return fail(
        Errc::limit_exceeded, where,
        fmt::format("{} nodes in one rank, but the limit is {}", nodes, limits::kNodesPerRank),
        "use fewer microbatches or layers");
  }
  graph::GraphBuilder builder(where, strings, graph::Repair::refuse);
  builder.share_kernels(kernels);
  builder.reserve(nodes, 2 * nodes);
  auto done = unroll(
      program, role, *strings, *kernels,
      [&](const graph::NodeSpec& node) -> Result<void> {
        builder.add(node);
        return {};
      },
      names);
  if (!done) return tl::unexpected(done.error());
  auto graph = std::move(builder).finish(findings);
  if (!graph) return tl::unexpected(graph.error());
  return std::make_shared<const graph::Graph>(std::move(*graph));
}

}  // namespace

Result<graph::Workload> to_workload(const Program& program, NodeNames names) {
  const std::uint64_t ranks = program.mesh.world();
  if (ranks > limits::kRanks) {
    return fail(Errc::limit_exceeded, program.spec.name,
                fmt::format("{} ranks, but the limit is {}", ranks, limits::kRanks));
  }
  constexpr std::uint32_t kNoGraph = ~0u;
  graph::Workload workload;
  const auto strings = std::make_shared<StringPool>();
  const auto kernels = std::make_shared<graph::KernelTable>();
  kernels->set_launch_times(launch_times(program.spec));
  std::vector<std::uint32_t> graph_of_role(program.roles.size(), kNoGraph);
  std::array<bool, kAxes> used{};
  workload.graph_of_rank.reserve(ranks);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t role = program.role_of(rank);
    std::uint32_t& number = graph_of_role[role];
    if (number == kNoGraph) {
      auto graph = graph_of(program, role, strings, kernels, names, workload.findings);
      if (!graph) return tl::unexpected(graph.error());
      number = static_cast<std::uint32_t>(workload.graphs.size());
      workload.graphs.push_back(std::move(*graph));
      collect_axes(program, program.roles[role], used);
    }
    workload.graph_of_rank.push_back(number);
  }
  for (std::size_t a = 0; a < kAxes; ++a) {
    const auto axis = static_cast<Axis>(a);
    if (!used[a] || program.mesh.extent(axis) <= 1) continue;
    graph::GroupAxis made = program.mesh.axis(axis);
    made.name = name(axis);
    workload.axes.emplace(made.name, std::move(made));
  }
  return workload;
}

}  // namespace orrery::workload
