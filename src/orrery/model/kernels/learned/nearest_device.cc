// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/learned/nearest_device.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::model {
namespace {

/// The architecture without the suffix of a refresh: "blackwell" for "blackwell-ultra".
std::string_view family_of(const Silicon& silicon) {
  const std::string_view name = silicon.architecture;
  constexpr std::string_view kRefresh = "-ultra";
  return name.ends_with(kRefresh) ? name.substr(0, name.size() - kRefresh.size()) : name;
}

double apart(double a, double b) {
  return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : std::numeric_limits<double>::infinity();
}

double distance_of(const DeviceSignature& a, const DeviceSignature& b) {
  const auto width = [](const DeviceSignature& is) {
    return is.peak / (static_cast<double>(is.processors) * is.clock);
  };
  return apart(width(a), width(b)) + apart(a.memory / a.peak, b.memory / b.peak) +
         apart(static_cast<double>(a.processors), static_cast<double>(b.processors)) +
         apart(a.clock, b.clock);
}

}  // namespace

const Silicon* nearest_measured_device(KernelClass kernels, std::span<const Silicon> among,
                                       const Silicon& silicon) {
  const Silicon* nearest = nullptr;
  double least_distance = std::nextafter(kMaxDeviceDistance, 3.0);
  if (silicon.architecture.empty()) return nearest;
  const DeviceSignature like = signature_of(kernels, silicon);
  for (const Silicon& one : among) {
    if (family_of(one) != family_of(silicon)) continue;
    const double distance = distance_of(signature_of(kernels, one), like);
    if (distance >= least_distance) continue;
    least_distance = distance;
    nearest = &one;
  }
  return nearest;
}

std::vector<Silicon> cataloged_devices(std::span<const DeviceSignature> devices) {
  std::vector<Silicon> described;
  for (const DeviceSignature& device : devices)
    if (const platform::DeviceEntry* entry = platform::find_device(device.name); entry != nullptr)
      described.push_back(silicon_of(*entry));
  return described;
}

Features features_relative_to(KernelClass kernels, const graph::Kernel& kernel,
                              const Silicon& silicon, const Silicon& relative) {
  Features features = features_of(kernels, kernel, relative, FeatureView::measured);
  if (!features.said) return features;
  const Features own = features_of(kernels, kernel, silicon, FeatureView::measured);
  features.log2_base = own.log2_base;
  features.said = own.said;
  return features;
}

}  // namespace orrery::model
