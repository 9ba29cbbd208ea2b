// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/recompute_policy.h"

namespace orrery::workload {

bool stops_recompute_early(const Spec& spec) {
  if (spec.compat != Compat::none) return false;
  switch (spec.kernels.framework) {
    case Framework::pytorch:
    case Framework::torchtitan:
    case Framework::torchtitan_compiled:
      return spec.recompute.early_stop.value_or(true);
    case Framework::none:
    case Framework::deepspeed:
    case Framework::megatron:
    case Framework::megatron_2021:
      break;
  }
  return spec.recompute.early_stop.value_or(false);
}

}  // namespace orrery::workload
