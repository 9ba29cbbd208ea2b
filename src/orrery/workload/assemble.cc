// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assemble.h"

#include "orrery/workload/lower.h"
#include "orrery/workload/spec.h"
#include "orrery/workload/stage.h"

namespace orrery::workload {

Result<Program> assemble(const Spec& spec) {
  if (auto allowed = legal(spec); !allowed) return tl::unexpected(allowed.error());
  if (spec.compat == Compat::stage) return assemble_stage(spec);
  auto order = order_of(spec);
  if (!order) return tl::unexpected(order.error());
  return assemble_with(spec, *order, lower);
}

}  // namespace orrery::workload
