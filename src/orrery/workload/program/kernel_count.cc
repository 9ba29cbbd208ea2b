// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/program/kernel_count.h"

namespace orrery::workload {
namespace {

/// The number of runs of each body in a step of one rank of the role.
std::vector<std::uint64_t> runs_of_bodies(const Program& program, const Role& role) {
  std::vector<std::uint64_t> of_recipe(role.recipes.size(), 0);
  for (const TaskLoop& loop : role.tasks)
    for (const Task& task : loop.tasks) of_recipe[task.recipe] += loop.count;
  std::vector<std::uint64_t> runs(program.bodies.size(), 0);
  for (std::size_t recipe = 0; recipe < role.recipes.size(); ++recipe)
    for (const Segment& segment : role.recipes[recipe])
      runs[segment.body] += of_recipe[recipe] * segment.count;
  return runs;
}

/// The op as a kernel with an unknown operation; empty if it does nothing.
std::optional<graph::Kernel> unsaid(const Op& op) {
  if (op.kind != graph::NodeKind::comp || op.op_class == OpClass::copy) return std::nullopt;
  graph::Kernel kernel;
  kernel.flops = op.matmul + op.vector;
  kernel.bytes = op.bytes;
  if (kernel.flops == 0 && kernel.bytes == 0) return std::nullopt;
  return kernel;
}

}  // namespace

std::string_view operator_of(std::string_view node) {
  return node.substr(0, node.find_first_of(". "));
}

void for_each_op(const Program& program, std::uint32_t role,
                 const std::function<void(const Op& op, std::uint64_t runs)>& on_op) {
  const std::vector<std::uint64_t> runs = runs_of_bodies(program, program.roles[role]);
  for (std::size_t body = 0; body < runs.size(); ++body) {
    if (runs[body] == 0) continue;
    for (const Op& op : program.bodies[body].ops) on_op(op, runs[body]);
  }
}

std::optional<graph::Kernel> counted_kernel(const Op& op) {
  auto kernel = kernel_of(op);
  return kernel ? kernel : unsaid(op);
}

std::vector<KernelCount> count_kernels(const Program& program, std::uint32_t role) {
  graph::KernelTable distinct;
  std::vector<KernelCount> counts;
  for_each_op(program, role, [&](const Op& op, std::uint64_t runs) {
    const auto kernel = counted_kernel(op);
    if (!kernel) return;
    const graph::KernelId id = distinct.intern(*kernel);
    if (id == counts.size()) counts.push_back({*kernel, 0});
    counts[id].nodes += runs;
  });
  return counts;
}

}  // namespace orrery::workload
