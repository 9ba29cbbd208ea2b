// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/step_overhead.h"

#include <array>
#include <string_view>
#include <utility>

#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/roofline_model.h"

namespace orrery::model {
namespace {

/// Medians over kernels that were launched at least 20 us before the previous kernel ended, in
/// recordings with times in nanoseconds (`orrery kernels context`): V100, 4,247 kernels of HTA's
/// ns_resolution test, 80 % within 0.7 and 1.4 us; A100, 603 of its nccl_data test, 1.0 to 1.4 us;
/// H100, 357 of TraceLens' timesformer, 1.1 to 2.2 us. ROCm's recordings contain no gaps: a
/// kernel's time lasts until the next one begins.
constexpr Time kVoltaGap = Time(800'000), kAmpereGap = Time(1'152'000),
               kHopperGap = Time(1'376'000);

constexpr std::array<std::pair<std::string_view, Time>, 7> kGaps = {{
    {"volta", kVoltaGap},
    {"turing", kVoltaGap},
    {"ampere", kAmpereGap},
    {"ada", kAmpereGap},
    {"hopper", kHopperGap},
    {"blackwell", kHopperGap},
    {"rtx-blackwell", kHopperGap},
}};

/// Matrix products, which the power of a device limits.
bool is_power_limited(graph::Operation operation) {
  return is_matrix_product(operation) && operation != graph::Operation::attention &&
         operation != graph::Operation::interaction;
}

}  // namespace

Time catalog_launch_gap(const Silicon& silicon) {
  for (const auto& [architecture, gap] : kGaps)
    if (silicon.architecture.starts_with(architecture)) return gap;
  return Time{};
}

Time launch_gap_of(const platform::Device& device, const Silicon& silicon) {
  return device.in_step.gap ? *device.in_step.gap : catalog_launch_gap(silicon);
}

const platform::StepEffects::Factor* step_factor_of(const platform::Device& device,
                                                    graph::Format format) {
  for (const platform::StepEffects::Factor& factor : device.in_step.factors)
    if (factor.bits == graph::bits_of(format)) return &factor;
  return nullptr;
}

KernelTime time_in_step(KernelTime alone, const graph::Kernel& kernel,
                        const platform::Device& device, Time gap) {
  const KernelModelEntry* const made_by = kernel_model_entry(alone.source);
  if (made_by == nullptr || !made_by->adds_step_overhead) return alone;
  KernelTime time = alone;
  if (const auto* factor =
          is_power_limited(kernel.operation) ? step_factor_of(device, kernel.a) : nullptr) {
    time.seconds *= factor->factor;
    // The band of the factor was fitted to complete steps, so it includes the error of the model.
    if (factor->lower != 0 || factor->upper != 0) time.band = {factor->lower, factor->upper};
  }
  time.seconds += static_cast<double>(gap.count()) * 1e-12 * kernel.launches;
  return time;
}

}  // namespace orrery::model
