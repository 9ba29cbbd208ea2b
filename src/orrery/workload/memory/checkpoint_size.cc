// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/checkpoint_size.h"

#include <algorithm>
#include <cmath>

#include "orrery/workload/assembly/data_parallel.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::workload {

Result<CheckpointSize> checkpoint_size(const Program& program) {
  const auto counted = count(program);
  if (!counted) return tl::unexpected(counted.error());
  double trained = 0, matrices = 0, tables = 0;  // of all ranks
  for (const RoleCount& role : counted->roles) {
    const auto ranks = static_cast<double>(program.roles[role.role].ranks);
    trained += ranks * static_cast<double>(role.trained.total() - role.trained.tables);
    matrices += ranks * static_cast<double>(role.trained.matrices);
    tables += ranks * static_cast<double>(role.weights.tables);
  }
  const Precision& types = program.spec.precision;
  const std::int64_t all = counted->parameters.total + counted->adapters;
  // Only one rank holds each row of a table.
  const std::int64_t updated =
      counted->adapters > 0
          ? counted->adapters
          : std::max<std::int64_t>(0, all - static_cast<std::int64_t>(std::llround(tables)));
  const double others = trained > 0 ? static_cast<double>(updated) * (1 - matrices / trained) : 0;
  const Amount optimizer = optimizer_state(types, program.spec.optimizer.kind, Amount(updated),
                                           Amount(std::llround(others)));
  return CheckpointSize{bytes(Amount(all), types.weights).value(), optimizer.value()};
}

}  // namespace orrery::workload
