// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/power_limit.h"

#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/roofline_model.h"
#include "orrery/model/power/sustained_clock.h"

namespace orrery::model {
namespace {

/// J per operation of the format at the boost clock; 0: unknown.
double energy_of(graph::Format format, const OperationEnergy& energy) {
  const int bits = graph::bits_of(format);
  if (bits == 16) return energy.flop16;
  return bits == 8 ? energy.flop8 : 0;
}

}  // namespace

KernelTime time_under_power_limit(KernelTime alone, const graph::Kernel& kernel,
                                  const platform::Device& device, const Silicon& silicon) {
  const KernelModelEntry* const made_by = kernel_model_entry(alone.source);
  if (device.power_limit_w <= 0 || made_by == nullptr || !made_by->adds_step_overhead) return alone;
  const OperationEnergy energy = operation_energy(silicon.architecture, silicon.memory);
  KernelLoad load;
  load.matrix = is_matrix_product(kernel.operation);
  load.flops = static_cast<double>(kernel.flops) / alone.seconds;
  load.bytes = static_cast<double>(kernel.bytes) / alone.seconds;
  load.flop = energy_of(kernel.a, energy);
  load.byte = energy.byte;
  alone.seconds *= slowdown_under_limit(load, silicon.power, device.power_limit_w);
  return alone;
}

}  // namespace orrery::model
