// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/heuristic/lin_elementwise.h"

#include <algorithm>
#include <array>

namespace orrery::model {
namespace {

constexpr std::array kLinElements = {
    LinElementwise{"relu", 0, 8, 0, 0},       LinElementwise{"add", 1, 12, 0, 0},
    LinElementwise{"mul", 1, 12, 0, 0},       LinElementwise{"sub", 1, 12, 0, 0},
    LinElementwise{"sigmoid", 4, 8, 0, 0},    LinElementwise{"binary_cross_entropy", 7, 12, 4, 12},
    LinElementwise{"mse_loss", 3, 12, 0, 0},  LinElementwise{"gelu", 175, 8, 255, 8},
    LinElementwise{"softmax", 174, 8, 2, 16}, LinElementwise{"tanh", 180, 8, 260, 8},
    LinElementwise{"pow", 180, 8, 0, 0},      LinElementwise{"dropout", 0, 0, 2, 12}};

/// Bytes at GB/s.
double us_of(double bytes, double rate) { return bytes / rate / 1e3; }

}  // namespace

std::span<const LinElementwise> lin_elementwise_kernels() { return kLinElements; }

std::optional<double> lin_elementwise_us(std::string_view name, bool backward, double elements,
                                         const LinDevice& device) {
  for (const LinElementwise& is : kLinElements) {
    const double flops = backward ? is.backward_flops : is.flops;
    const double bytes = backward ? is.backward_bytes : is.bytes;
    if (is.name != name || bytes == 0) continue;
    return std::max(elements * flops / device.peak / 1e3,
                    us_of(elements * bytes, device.memory_rate));
  }
  return std::nullopt;
}

double lin_concat_us(double elements, const LinDevice& device) {
  return us_of(2 * 4 * elements, 0.79 * device.memory_rate);
}

double lin_copy_to_device_us(double elements, const LinDevice& device) {
  return us_of(4 * elements, device.host_rate);
}

double lin_accumulate_us(double elements, const LinDevice& device) {
  return elements > 5e6 ? 0 : us_of(8 * elements, device.memory_rate);
}

}  // namespace orrery::model
