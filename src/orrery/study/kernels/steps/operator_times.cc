// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/operator_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "orrery/study/kernels/steps/step_kernels.h"
#include "orrery/workload/program/kernel_count.h"

namespace orrery::study {
namespace {

__extension__ using WideTime = __int128;  // sums over 16,384 ranks exceed 64 bits

Time clamped(WideTime picoseconds) {
  return Time(
      static_cast<std::int64_t>(std::min(picoseconds, static_cast<WideTime>(kTimeMax.count()))));
}

/// Identifies a row.
using OperatorKey =
    std::tuple<std::string_view, graph::Operation, workload::OpClass, workload::Phase>;

struct OperatorSums {
  WideTime all = 0;
  std::vector<Time> by_role;
  double launches = 0;
};

/// Calls `on_kernel` for each op that is a kernel.
template <class OnKernel>
void for_each_kernel(const workload::Program& program, std::uint32_t role, OnKernel on_kernel) {
  workload::for_each_op(program, role, [&](const workload::Op& op, std::uint64_t runs) {
    if (const auto kernel = workload::counted_kernel(op)) on_kernel(op, *kernel, runs);
  });
}

}  // namespace

std::vector<OperatorTime> operator_times(const workload::Program& program, const Cluster& cluster) {
  graph::KernelTable table;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role)
    for_each_kernel(program, role,
                    [&](const auto&, const graph::Kernel& kernel, auto) { table.intern(kernel); });
  const auto times = times_in_step(table, cluster);
  std::map<OperatorKey, OperatorSums> sums;
  double ranks = 0;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role) {
    const auto members = static_cast<std::int64_t>(program.roles[role].ranks);
    ranks += static_cast<double>(members);
    for_each_kernel(program, role, [&](const auto& op, const auto& kernel, std::uint64_t runs) {
      const auto& each = times[table.intern(kernel)];
      if (!each) return;
      OperatorSums& sum =
          sums[{workload::operator_of(op.name), kernel.operation, op.op_class, op.phase}];
      const WideTime time = WideTime{each->time.count()} * static_cast<WideTime>(runs);
      sum.by_role.resize(program.roles.size());
      sum.by_role[role] = saturating_sum(sum.by_role[role], clamped(time));
      sum.all += time * members;
      sum.launches += static_cast<double>(runs) * kernel.launches * static_cast<double>(members);
    });
  }
  std::vector<OperatorTime> made;
  for (const auto& [key, sum] : sums) {
    OperatorTime& one = made.emplace_back();
    const auto& [name, operation, op_class, phase] = key;
    one.name = name;
    one.operation = operation;
    one.op_class = op_class;
    one.phase = phase;
    one.launches = sum.launches / ranks;
    one.mean = clamped(sum.all / static_cast<WideTime>(ranks));
    one.by_role = sum.by_role;
  }
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a.mean > b.mean; });
  return made;
}

std::vector<graph::Kernel> kernels_of_operator(const workload::Program& program,
                                               std::string_view name) {
  std::vector<graph::Kernel> made;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role)
    for_each_kernel(program, role, [&](const auto& op, const graph::Kernel& kernel, auto) {
      if (workload::operator_of(op.name) == name &&
          std::find(made.begin(), made.end(), kernel) == made.end())
        made.push_back(kernel);
    });
  return made;
}

std::vector<std::string> operators_of(const workload::Program& program) {
  std::vector<std::string> made;
  for (std::uint32_t role = 0; role < program.roles.size(); ++role)
    for_each_kernel(program, role, [&](const auto& op, const auto&, auto) {
      const std::string_view name = workload::operator_of(op.name);
      if (std::find(made.begin(), made.end(), name) == made.end()) made.emplace_back(name);
    });
  return made;
}

}  // namespace orrery::study
