// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/silicon_of.h"

namespace orrery::model {
namespace {

/// The format with this name in the catalog; unsaid: no kernel has it.
graph::Format format_named(std::string_view precision) {
  if (precision == "fp4") return graph::Format::fp4_block;
  return graph::format_of(precision).value_or(graph::Format::unsaid);
}

}  // namespace

Silicon silicon_of(const platform::DeviceEntry& entry) {
  Silicon silicon;
  silicon.name = entry.name;
  silicon.described = true;
  for (const platform::Peak& peak : entry.peaks) {
    const graph::Format format = format_named(peak.precision);
    if (format != graph::Format::unsaid)
      silicon.peak[static_cast<std::size_t>(format)] = peak.rate.count();
  }
  silicon.peak[static_cast<std::size_t>(graph::Format::unsaid)] = entry.peaks.front().rate.count();
  silicon.memory = entry.memory_bandwidth.count();
  silicon.memory_bytes = static_cast<double>(entry.memory.count());
  if (entry.architecture != platform::Architecture::unknown)
    silicon.architecture = platform::name(entry.architecture);
  silicon.vector = entry.vector.count();
  silicon.l2_bytes = static_cast<double>(entry.l2.count());
  silicon.shared_bytes = static_cast<double>(entry.shared.count());
  silicon.clock = entry.clock_mhz * 1e6;
  silicon.power = entry.power_w;
  silicon.processors = entry.sms;
  return silicon;
}

Silicon silicon_of(const platform::Device& device) {
  const platform::DeviceEntry* entry =
      device.entry.empty() ? nullptr : platform::find_device(device.entry);
  Silicon silicon;
  if (entry != nullptr) {
    silicon = silicon_of(*entry);
  } else {
    silicon.name = device.name;
    silicon.peak.fill(device.peak.count());
  }
  if (device.rated.count() > 0)
    silicon.peak[static_cast<std::size_t>(graph::Format::unsaid)] = device.rated.count();
  silicon.memory = device.memory.count();
  silicon.memory_bytes = static_cast<double>(device.memory_capacity.count());
  if (device.clock_mhz > 0) silicon.clock = device.clock_mhz * 1e6;
  return silicon;
}

}  // namespace orrery::model
