// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/graph_memory.h"

#include <vector>

namespace orrery::workload {
namespace {

graph::HeldMemory held_by(const Program& program, const RoleMemory& memory) {
  const Role& role = program.roles[memory.role];
  graph::HeldMemory held;
  held.role = role.name;
  held.constant = Bytes(memory.weights + memory.gradients + memory.optimizer + memory.workspace);
  for (const MemoryItem& item : memory.at_peak)
    held.at_peak.push_back({std::string(name(item.kind)), item.name, Bytes(item.bytes)});
  if (memory.samples.empty()) return held;
  const std::vector<std::uint64_t> in_recipe = recipe_node_counts(program, role);
  std::uint64_t node = 0;
  std::size_t task = 0;
  for (const TaskLoop& loop : role.tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (const Task& each : loop.tasks) {
        const std::uint64_t first = node;
        node += in_recipe[each.recipe];
        if (task == memory.samples.size()) return held;
        held.segments.push_back({static_cast<graph::NodeId>(first),
                                 static_cast<graph::NodeId>(node),
                                 Bytes(memory.samples[task++].bytes)});
      }
    }
  }
  return held;
}

}  // namespace

std::vector<graph::HeldMemory> graph_memory(const Program& program, const MemoryReport& report,
                                            const graph::Workload& workload) {
  std::vector<graph::HeldMemory> held(workload.graphs.size());
  std::vector<bool> known(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t graph = workload.graph_of_rank[rank];
    if (known[graph]) continue;
    known[graph] = true;
    held[graph] = held_by(program, report.roles[program.role_of(rank)]);
  }
  return held;
}

}  // namespace orrery::workload
