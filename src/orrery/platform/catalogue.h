// SPDX-License-Identifier: Apache-2.0
//
// Devices and links by name, every figure with its public source: data/catalogue.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// A dense peak (no sparsity) at one precision.
struct Peak {
  std::string precision;  ///< "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"
  FlopRate rate{};        ///< FLOP/s (operations per second for int8)

  static constexpr auto fields =
      std::tuple{config::field("precision", &Peak::precision, "number format").required(),
                 config::field("rate", &Peak::rate, "dense peak", config::positive()).required()};
};

/// How a maker puts so many of a device together: islands, and a network between them.
struct Build {
  std::int64_t island = 0;        ///< devices behind one scale-up link; 0: there is no usual way
  Block block = Block::switched;  ///< of an island
  std::string scale_up;           ///< a link of the catalogue
  std::string scale_out;          ///< a link of the catalogue, through switches
  double ports = 1;               ///< scale-out ports of one device
  std::string source;             ///< public document of such a machine

  static constexpr auto fields = std::tuple{
      config::field("island", &Build::island, "devices of one island", config::at_least(1))
          .required(),
      config::field("block", &Build::block, "network of an island").required(),
      config::field("scale_up", &Build::scale_up, "link inside an island").required(),
      config::field("scale_out", &Build::scale_out, "link between islands").required(),
      config::field("ports", &Build::ports, "ports of a device between islands",
                    config::positive()),
      config::field("source", &Build::source, "public document").required()};
};

/// One accelerator.
struct DeviceEntry {
  std::string name;         ///< as a cluster file writes it
  std::string title;        ///< as its maker writes it
  std::vector<Peak> peaks;  ///< the first is the default
  Bandwidth memory_bandwidth{};
  Bytes memory{};
  std::string source;  ///< public document with these figures
  Build build = {};

  /// The peak at `precision`, or null.
  [[nodiscard]] const Peak* peak(std::string_view precision) const;

  static constexpr auto fields = std::tuple{
      config::field("name", &DeviceEntry::name, "as a cluster file writes it").required(),
      config::field("title", &DeviceEntry::title, "as its maker writes it").required(),
      config::field("peaks", &DeviceEntry::peaks, "dense peaks", config::at_least(1)).required(),
      config::field("memory_bandwidth", &DeviceEntry::memory_bandwidth, "of its memory",
                    config::positive())
          .required(),
      config::field("memory", &DeviceEntry::memory, "its memory", config::positive()).required(),
      config::field("source", &DeviceEntry::source, "public document with these figures")
          .required(),
      config::field("build", &DeviceEntry::build, "how its maker puts many together")};
};

/// One way to connect accelerators.
struct LinkEntry {
  std::string name;
  std::string title;
  Bandwidth bandwidth{};  ///< per direction: of one device into a switch, or of one link to a
                          ///< neighbour
  Time latency{};         ///< per hop; always an assumption (see latency_source)
  std::string source;     ///< of the bandwidth
  std::string latency_source;

  static constexpr auto fields = std::tuple{
      config::field("name", &LinkEntry::name, "as a cluster file writes it").required(),
      config::field("title", &LinkEntry::title, "as its maker writes it").required(),
      config::field("bandwidth", &LinkEntry::bandwidth, "per direction", config::positive())
          .required(),
      config::field("latency", &LinkEntry::latency, "per hop", config::positive()).required(),
      config::field("source", &LinkEntry::source, "of the bandwidth").required(),
      config::field("latency_source", &LinkEntry::latency_source, "of the latency").required()};
};

/// In the order of their files.
[[nodiscard]] std::span<const DeviceEntry> devices();
[[nodiscard]] std::span<const LinkEntry> links();

/// The entry of that name, or null.
[[nodiscard]] const DeviceEntry* find_device(std::string_view name);
[[nodiscard]] const LinkEntry* find_link(std::string_view name);

/// What is wrong with the catalogue, which would be our mistake: reads all entries.
[[nodiscard]] Result<void> check_catalogue();

}  // namespace orrery::platform
