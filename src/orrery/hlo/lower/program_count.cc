// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/program_count.h"

#include <map>
#include <tuple>

#include "orrery/hlo/lower/device_groups.h"

namespace orrery::hlo {

bool is_unpartitioned(const Program& program) {
  return program.has_shardings && !program.has_manual_regions && program.devices() > 1 &&
         !program.is_fused && !program.scheduled;
}

Result<ProgramCount> count_program(const Program& program, const std::string& where,
                                   Findings& findings) {
  const auto tasks = device_tasks(program, where, findings);
  if (!tasks) return tl::unexpected(tasks.error());
  ProgramCount count;
  count.devices = program.devices();
  for (const Computation& computation : program.computations)
    count.operations += static_cast<std::int64_t>(computation.operations.size());
  std::map<std::pair<graph::Operation, graph::Pass>, ProgramCount::Operations> operations;
  std::map<std::tuple<std::string_view, Purpose, std::int64_t>, ProgramCount::Traffic> traffic;
  for (const DeviceTask& task : *tasks) {
    if (task.kind == TaskKind::kernel) {
      auto& row = operations[{task.kernel.operation, task.kernel.pass}];
      row.operation = task.kernel.operation;
      row.pass = task.kernel.pass;
      ++row.kernels;
      ++count.kernels;
      for (const auto& [total, part, value] :
           {std::tuple{&count.product_flop, &row.product_flop, task.product_flop},
            std::tuple{&count.other_flop, &row.other_flop, task.other_flop},
            std::tuple{&count.bytes, &row.bytes, task.kernel.bytes}}) {
        *total = saturating_sum(*total, value);
        *part = saturating_sum(*part, value);
      }
      continue;
    }
    const bool pairs = task.kind == TaskKind::permute;
    const std::string_view type =
        pairs ? "send" : orrery::name(*task.operation->opcode->collective);
    auto groups = device_groups(program, *task.operation, where);
    if (!groups) return tl::unexpected(groups.error());
    std::int64_t size = 0;
    for (const auto& group : groups->groups)
      size = std::max(size, static_cast<std::int64_t>(group.size()));
    auto& row = traffic[{type, task.purpose, size}];
    row.type = type;
    row.purpose = task.purpose;
    row.group_size = size;
    ++row.operations;
    row.elements = saturating_sum(row.elements, task.elements);
    row.bytes = saturating_sum(row.bytes, task.bytes);
  }
  for (auto& each : operations) count.by_operation.push_back(each.second);
  for (auto& each : traffic) count.traffic.push_back(each.second);
  return count;
}

}  // namespace orrery::hlo
