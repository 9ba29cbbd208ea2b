// SPDX-License-Identifier: Apache-2.0
//
// Devices and links by name, every figure with its public source.
#pragma once

#include <span>
#include <string_view>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// A dense peak (no sparsity) at one precision.
struct Peak {
  std::string_view precision;  ///< "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"
  double flops;                ///< FLOP/s (operations per second for int8)
};

/// How a maker puts so many of a device together: islands, and a network between them.
struct Build {
  std::int64_t island = 0;        ///< devices behind one scale-up link; 0: there is no usual way
  Block block = Block::switched;  ///< of an island
  std::string_view scale_up;      ///< a link of the catalogue
  std::string_view scale_out;     ///< a link of the catalogue, through switches
  double ports = 1;               ///< scale-out ports of one device
  std::string_view source;        ///< public document of such a machine
};

/// One accelerator.
struct DeviceEntry {
  std::string_view name;        ///< as a cluster file writes it
  std::string_view title;       ///< as its maker writes it
  std::span<const Peak> peaks;  ///< the first is the default
  double memory_bandwidth;      ///< bytes/s
  double memory_capacity;       ///< bytes
  std::string_view source;      ///< public document with these figures
  Build build = {};

  /// The peak at `precision`, or null.
  [[nodiscard]] const Peak* peak(std::string_view precision) const;
};

/// One way to connect accelerators.
struct LinkEntry {
  std::string_view name;
  std::string_view title;
  double bandwidth;   ///< bytes/s per direction: of one device into a switch, or of one link to a
                      ///< neighbour
  double latency_ns;  ///< per hop; always an assumption (see latency_source)
  std::string_view source;  ///< of the bandwidth
  std::string_view latency_source;
};

[[nodiscard]] std::span<const DeviceEntry> devices();
[[nodiscard]] std::span<const LinkEntry> links();

/// The entry of that name, or null.
[[nodiscard]] const DeviceEntry* find_device(std::string_view name);
[[nodiscard]] const LinkEntry* find_link(std::string_view name);

}  // namespace orrery::platform
