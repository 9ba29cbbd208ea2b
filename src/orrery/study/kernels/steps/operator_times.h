// SPDX-License-Identifier: Apache-2.0
//
// The kernel time of a job by operator of its model: "qkv", "mlp_up", "attention".
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Kernels of one operator in one phase. Times are predicted for kernels in a step, as simulations
/// use them, without deviations and without the slowdown by concurrent collectives.
struct OperatorTime {
  std::string name;                                       ///< as workload::operator_of()
  graph::Operation operation = graph::Operation::unsaid;  ///< of its longest kernels
  workload::OpClass op_class = workload::OpClass::vector;
  workload::Phase phase = workload::Phase::forward;
  double launches = 0;          ///< per rank, mean over ranks
  Time mean{};                  ///< per rank, mean over ranks
  std::vector<Time> by_role{};  ///< of a rank of each role of the program

  friend bool operator==(const OperatorTime&, const OperatorTime&) = default;
};

/// By operator, operation, class and phase; by `mean`, descending. O(roles × bodies).
[[nodiscard]] std::vector<OperatorTime> operator_times(const workload::Program& program,
                                                       const Cluster& cluster);

/// The time of the selected rows on the rank with the most. `selected`: of an OperatorTime.
template <class Selected>
[[nodiscard]] Time most_time(const std::vector<OperatorTime>& times, const Selected& selected) {
  std::vector<Time> by_role;
  for (const OperatorTime& one : times) {
    if (!selected(one)) continue;
    by_role.resize(one.by_role.size());
    for (std::size_t role = 0; role < by_role.size(); ++role)
      by_role[role] = saturating_sum(by_role[role], one.by_role[role]);
  }
  return by_role.empty() ? Time{} : *std::max_element(by_role.begin(), by_role.end());
}

/// The distinct kernels of one operator, in program order.
[[nodiscard]] std::vector<graph::Kernel> kernels_of_operator(const workload::Program& program,
                                                             std::string_view name);
/// The operators of a job that have kernels, in program order.
[[nodiscard]] std::vector<std::string> operators_of(const workload::Program& program);

}  // namespace orrery::study
