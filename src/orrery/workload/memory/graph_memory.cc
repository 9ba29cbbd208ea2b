// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/graph_memory.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "orrery/workload/memory/chunk_profile.h"
#include "orrery/workload/memory/model_state.h"

namespace orrery::workload {
namespace {

/// Beyond this number of segments in all graphs, each pass is one segment.
constexpr std::uint64_t kMaxSegments = 1u << 20;

/// A part of a pass: its nodes, and by how much it holds less than the peak of the pass.
struct PassStep {
  std::uint64_t nodes = 0;
  std::int64_t below_peak = 0;
};

std::uint64_t node_count(const Body& body) {
  return static_cast<std::uint64_t>(std::count_if(
      body.ops.begin(), body.ops.end(), [](const Op& op) { return op.op_class != OpClass::copy; }));
}

/// Whether a body runs a part of the model. Others exchange messages, before and after the parts.
bool runs_part(const Body& body) {
  constexpr std::array<std::string_view, 4> kOthers = {"begin.", "end.", "receive", "send"};
  return std::none_of(kOthers.begin(), kOthers.end(),
                      [&](std::string_view other) { return body.name.starts_with(other); });
}

/// The nodes of a recipe, by place of its chunk in the order of the pass; those before the first
/// part belong to the first, those after the last to the last. Empty unless the recipe runs each
/// of `places` parts once.
std::vector<PassStep> nodes_by_place(const Program& program, const std::vector<Segment>& recipe,
                                     std::size_t places) {
  std::vector<PassStep> out;
  std::uint64_t before = 0;
  for (const Segment& segment : recipe) {
    const Body& body = program.bodies[segment.body];
    const std::uint64_t nodes = node_count(body);
    if (runs_part(body)) {
      if (out.size() + segment.count > places) return {};
      out.insert(out.end(), segment.count, {nodes, 0});
      if (before > 0) out[out.size() - segment.count].nodes += before;
      before = 0;
    } else if (out.empty()) {
      before += nodes * segment.count;
    } else {
      out.back().nodes += nodes * segment.count;
    }
  }
  return out.size() == places ? out : std::vector<PassStep>{};
}

/// The steps of a pass: its places in order. Neighbors with equal memory are one step, and a place
/// without nodes belongs to the step before it.
std::vector<PassStep> steps_of_pass(const Program& program, const Role& role, const Task& task,
                                    const ModelState& state) {
  const std::vector<PartRun>& chunk = role.chunks[task.chunk];
  std::vector<std::int64_t> bytes = bytes_by_place(program, chunk, state, task.kind);
  std::vector<PassStep> places = nodes_by_place(program, role.recipes[task.recipe], bytes.size());
  if (places.empty()) return {};
  if (task.kind != TaskKind::forward) std::reverse(bytes.begin(), bytes.end());
  const std::int64_t peak = *std::max_element(bytes.begin(), bytes.end());
  std::vector<PassStep> steps;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t below = peak - bytes[i];
    if (steps.empty() ||
        (places[i].nodes > 0 && steps.back().nodes > 0 && steps.back().below_peak != below)) {
      steps.push_back({places[i].nodes, below});
    } else {
      steps.back().nodes += places[i].nodes;
      steps.back().below_peak = std::min(steps.back().below_peak, below);
    }
  }
  return steps;
}

/// The steps of each recipe of a role. Without `by_place`, or where they are unknown, a pass is one
/// step.
std::vector<std::vector<PassStep>> steps_by_recipe(const Program& program, const Role& role,
                                                   const ModelState& state, bool by_place) {
  const std::vector<std::uint64_t> nodes = recipe_node_counts(program, role);
  std::vector<std::vector<PassStep>> out(role.recipes.size());
  for (const TaskLoop& loop : role.tasks) {
    for (const Task& task : loop.tasks) {
      std::vector<PassStep>& steps = out[task.recipe];
      if (!steps.empty()) continue;
      if (by_place && task.kind != TaskKind::step)
        steps = steps_of_pass(program, role, task, state);
      if (steps.empty()) steps = {{nodes[task.recipe], 0}};
    }
  }
  return out;
}

void add_segments(const Role& role, const RoleMemory& memory,
                  const std::vector<std::vector<PassStep>>& steps, graph::HeldMemory& held) {
  std::uint64_t node = 0;
  std::size_t task = 0;
  for (const TaskLoop& loop : role.tasks) {
    for (std::uint32_t round = 0; round < loop.count; ++round) {
      for (const Task& each : loop.tasks) {
        if (task == memory.samples.size()) return;
        const std::int64_t peak = memory.samples[task++].bytes;
        for (const PassStep& step : steps[each.recipe]) {
          const std::uint64_t first = node;
          node += step.nodes;
          held.segments.push_back({static_cast<graph::NodeId>(first),
                                   static_cast<graph::NodeId>(node),
                                   Bytes(peak - step.below_peak)});
        }
      }
    }
  }
}

graph::HeldMemory held_by(const Program& program, const RoleMemory& memory, const ModelState& state,
                          bool by_place) {
  const Role& role = program.roles[memory.role];
  graph::HeldMemory held;
  held.role = role.name;
  held.constant = Bytes(memory.weights + memory.gradients + memory.optimizer + memory.workspace);
  for (const MemoryItem& item : memory.at_peak)
    held.at_peak.push_back({std::string(name(item.kind)), item.name, Bytes(item.bytes)});
  if (!memory.samples.empty())
    add_segments(role, memory, steps_by_recipe(program, role, state, by_place), held);
  return held;
}

/// An upper bound of the number of segments by place in all roles.
std::uint64_t segments_by_place(const Program& program, const MemoryReport& report) {
  std::uint64_t total = 0;
  for (const RoleMemory& memory : report.roles) {
    std::uint64_t places = 1;
    for (const std::vector<PartRun>& chunk : program.roles[memory.role].chunks) {
      std::uint64_t count = 0;
      for (const PartRun& run : chunk) count += run.count;
      places = std::max(places, count);
    }
    total += memory.samples.size() * places;
  }
  return total;
}

}  // namespace

std::vector<graph::HeldMemory> graph_memory(const Program& program, const MemoryReport& report,
                                            const graph::Workload& workload) {
  const ModelState state(program.spec, program.mesh);
  const bool by_place = segments_by_place(program, report) <= kMaxSegments;
  std::vector<graph::HeldMemory> held(workload.graphs.size());
  std::vector<bool> known(workload.graphs.size());
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint32_t graph = workload.graph_of_rank[rank];
    if (known[graph]) continue;
    known[graph] = true;
    held[graph] = held_by(program, report.roles[program.role_of(rank)], state, by_place);
  }
  return held;
}

}  // namespace orrery::workload
