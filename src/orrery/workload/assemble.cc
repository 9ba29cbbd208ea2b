// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assemble.h"

#include <fmt/format.h>

#include "orrery/workload/lower.h"
#include "orrery/workload/spec.h"
#include "orrery/workload/stage.h"

namespace orrery::workload {

Result<Program> assemble(const Spec& spec) {
  if (auto allowed = legal(spec); !allowed) return tl::unexpected(allowed.error());
  if (spec.compat == Compat::stage) return assemble_stage(spec);
  auto order = order_of(spec);
  if (!order) return tl::unexpected(order.error());
  const std::size_t given = spec.schedule.stage_layers.size(), due = order->pipes.front().size();
  if (given != 0 && given != due) {  // how many a file has is known only now
    return tl::unexpected(Error{Errc::config_conflict, "/schedule/stage_layers",
                                fmt::format("lists {} stages, but the schedule has {}", given, due),
                                "give the layers of every virtual stage, in the model's order"});
  }
  return assemble_with(spec, *order, lower);
}

}  // namespace orrery::workload
