// SPDX-License-Identifier: Apache-2.0
//
// Devices and links by name, every value with its public source: data/catalog.
#pragma once

#include <array>
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

/// The design that a device's matrix units belong to. `rtx_blackwell` is the one of workstations.
enum class Architecture : std::uint8_t {
  unknown,
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell,
  blackwell_ultra,
  rtx_blackwell,
  cdna2,
  cdna3,
  cdna4,
  xe2,
  tpu,
  gaudi,
  trainium,
};

}  // namespace orrery::platform

namespace orrery::config {

/// The words of data/catalog; `unknown` has no word.
template <>
struct EnumNames<platform::Architecture> {
  using enum platform::Architecture;
  using Word = EnumName<platform::Architecture>;
  static constexpr std::array names = {Word{"volta", volta},
                                       Word{"turing", turing},
                                       Word{"ampere", ampere},
                                       Word{"ada", ada},
                                       Word{"hopper", hopper},
                                       Word{"blackwell", blackwell},
                                       Word{"blackwell-ultra", blackwell_ultra},
                                       Word{"rtx-blackwell", rtx_blackwell},
                                       Word{"cdna2", cdna2},
                                       Word{"cdna3", cdna3},
                                       Word{"cdna4", cdna4},
                                       Word{"xe2", xe2},
                                       Word{"tpu", tpu},
                                       Word{"gaudi", gaudi},
                                       Word{"trainium", trainium}};
};
/// The words of data/catalog and cluster files.
template <>
struct EnumNames<platform::Block> {
  using enum platform::Block;
  using Word = EnumName<platform::Block>;
  static constexpr std::array names = {Word{"ring", ring}, Word{"fully_connected", fully_connected},
                                       Word{"switch", switched}};
};

/// In the catalog and in cluster files.
template <>
struct ParameterTable<platform::StepEffects::Factor> {
  using Factor = platform::StepEffects::Factor;
  static constexpr auto fields = std::tuple{
      field("bits", &Factor::bits,
            "bits per element of a kernel's first input: 16 for bf16, 8 for fp8", between(4, 64))
          .required(),
      field("factor", &Factor::factor, "kernel time in a step, divided by the predicted time alone",
            between(0.1, 10))
          .required(),
      field("least", &Factor::lower,
            "lower end of the factor's interval, relative to the factor: -0.1 is 10 % less",
            between(-0.9, 0)),
      field("most", &Factor::upper, "upper end of the factor's interval, relative to the factor",
            between(0, 10))};
};

}  // namespace orrery::config

namespace orrery::platform {

/// "blackwell-ultra"; "" for `unknown`.
[[nodiscard]] std::string_view name(Architecture architecture);

/// A dense peak (no sparsity) at one precision.
struct Peak {
  std::string precision;  ///< "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"
  FlopRate rate{};        ///< FLOP/s (operations per second for int8)

  static constexpr auto fields =
      std::tuple{config::field("precision", &Peak::precision, "number format").required(),
                 config::field("rate", &Peak::rate, "dense peak", config::positive()).required()};
};

/// The vendor's reference design of clusters: islands, and a network between them.
struct SystemDesign {
  std::int64_t island = 0;        ///< devices of one scale-up network; 0: no reference design
  Block block = Block::switched;  ///< of an island, in each of its dimensions
  std::int64_t dimensions = 1;    ///< of an island; 2 or 3: a torus with sides as equal as possible
  std::string scale_up;           ///< a link of the catalog
  std::string scale_out;          ///< a link of the catalog, through switches; empty: an island
                                  ///< is the largest machine
  double ports = 1;               ///< scale-out ports of one device
  std::string source;             ///< public document of such a cluster
  bool measured = false;          ///< data/collectives has curves of such an island over PCIe

  static constexpr auto fields = std::tuple{
      config::field("island", &SystemDesign::island, "devices per island", config::at_least(1))
          .required(),
      config::field("block", &SystemDesign::block, "network of an island").required(),
      config::field("dimensions", &SystemDesign::dimensions, "number of dimensions of an island",
                    config::between(1, 3)),
      config::field("scale_up", &SystemDesign::scale_up, "link inside an island").required(),
      config::field("scale_out", &SystemDesign::scale_out, "link between islands"),
      config::field("ports", &SystemDesign::ports, "ports per device between islands",
                    config::positive()),
      config::field("source", &SystemDesign::source, "public document").required(),
      config::field("measured", &SystemDesign::measured,
                    "whether data/collectives has curves of such an island over PCIe")};
};

/// One accelerator. Members after `source` are set only if a public document contains them.
struct DeviceEntry {
  std::string name;                  ///< in cluster files
  std::string title;                 ///< as its vendor writes it
  std::vector<std::string> drivers;  ///< its names in drivers and recordings
  std::vector<Peak> peaks;           ///< the first is the default
  Bandwidth memory_bandwidth{};
  Bytes memory{};
  Bytes usable{};      ///< memory that PyTorch reports ("has a total capacity of 79.15 GiB", in
                       ///< public logs of such devices, the minimum); 0: not published
  std::string source;  ///< public document with these values, except `usable`
  Architecture architecture = Architecture::unknown;
  std::int64_t sms = 0;  ///< SMs, compute units, or cores with matrix units; 0: unknown
  double clock_mhz = 0;  ///< boost clock, the one of the matrix peaks if there are two; 0: unknown
  FlopRate vector{};     ///< FLOP/s of fp32 outside the matrix units; 0: unknown
  Bytes l2{};            ///< cache that all SMs share; 0: unknown
  Bytes shared{};        ///< shared memory of one SM; 0: unknown
  double power_w = 0;    ///< maximum power of the device or its board in W; 0: unknown
  std::string facts_source;  ///< public documents with `sms` to `power_w`
  std::string host_link;     ///< a link of the catalog, to the memory of its host; empty: unknown
  std::string host_link_source;  ///< public document with `host_link`
  SystemDesign build = {};
  std::vector<StepEffects::Factor> in_step;  ///< fitted to published steps; empty: none
  std::string in_step_source;                ///< publications of these steps

  /// The peak at `precision`, or null.
  [[nodiscard]] const Peak* peak(std::string_view precision) const;

  static constexpr auto fields = std::tuple{
      config::field("name", &DeviceEntry::name, "name in cluster files").required(),
      config::field("title", &DeviceEntry::title, "name as its vendor writes it").required(),
      config::field("drivers", &DeviceEntry::drivers, "names in drivers and recordings"),
      config::field("peaks", &DeviceEntry::peaks, "dense peaks", config::at_least(1)).required(),
      config::field("memory_bandwidth", &DeviceEntry::memory_bandwidth, "bandwidth of its memory",
                    config::positive())
          .required(),
      config::field("memory", &DeviceEntry::memory, "size of its memory", config::positive())
          .required(),
      config::field("usable", &DeviceEntry::usable, "memory that programs can use",
                    config::positive()),
      config::field("source", &DeviceEntry::source, "public document with these values").required(),
      config::field("architecture", &DeviceEntry::architecture, "architecture of its matrix units"),
      config::field("sms", &DeviceEntry::sms, "SMs, compute units or cores", config::at_least(1)),
      config::field("clock_mhz", &DeviceEntry::clock_mhz, "boost clock", config::positive()),
      config::field("vector", &DeviceEntry::vector, "fp32 outside the matrix units",
                    config::positive()),
      config::field("l2", &DeviceEntry::l2, "cache that all SMs share", config::positive()),
      config::field("shared", &DeviceEntry::shared, "memory of an SM", config::positive()),
      config::field("power_w", &DeviceEntry::power_w, "maximum power in W", config::positive()),
      config::field("facts_source", &DeviceEntry::facts_source,
                    "public documents with these values"),
      config::field("host_link", &DeviceEntry::host_link, "link to the memory of its host"),
      config::field("host_link_source", &DeviceEntry::host_link_source,
                    "public document with the link to the host"),
      config::field("build", &DeviceEntry::build, "the vendor's reference design of clusters"),
      config::field("in_step", &DeviceEntry::in_step,
                    "duration of matrix products in steps compared with their duration alone"),
      config::field("in_step_source", &DeviceEntry::in_step_source,
                    "source of the step measurements")};
};

/// A kind of link between accelerators.
struct LinkEntry {
  std::string name;
  std::string title;
  Bandwidth bandwidth{};  ///< per direction: of one device into a switch, or of one link to a
                          ///< neighbor
  Time latency{};         ///< per hop; always an assumption (see latency_source)
  std::string source;     ///< of the bandwidth
  std::string latency_source;

  static constexpr auto fields = std::tuple{
      config::field("name", &LinkEntry::name, "name in cluster files").required(),
      config::field("title", &LinkEntry::title, "name as its vendor writes it").required(),
      config::field("bandwidth", &LinkEntry::bandwidth, "bandwidth per direction",
                    config::positive())
          .required(),
      config::field("latency", &LinkEntry::latency, "latency per hop", config::positive())
          .required(),
      config::field("source", &LinkEntry::source, "source of the bandwidth").required(),
      config::field("latency_source", &LinkEntry::latency_source, "source of the latency")
          .required()};
};

/// In the order of their files.
[[nodiscard]] std::span<const DeviceEntry> devices();
[[nodiscard]] std::span<const LinkEntry> links();

/// The entry of that name or alias (aliases.h), or null.
[[nodiscard]] const DeviceEntry* find_device(std::string_view name);
[[nodiscard]] const LinkEntry* find_link(std::string_view name);
/// Proposes a name of the catalog instead of an unknown one: the nearest, or all of them.
[[nodiscard]] std::string device_hint(std::string_view unknown);
[[nodiscard]] std::string link_hint(std::string_view unknown);
/// The device with this name in drivers ("NVIDIA H100 80GB HBM3"), or null.
[[nodiscard]] const DeviceEntry* find_device_by_driver(std::string_view name);

/// Reads devices in the format of data/catalog. Errc: config_*.
[[nodiscard]] Result<std::vector<DeviceEntry>> read_devices(std::string_view yaml);

/// Checks all entries of the catalog.
[[nodiscard]] Result<void> check_catalog();

/// The page docs/reference/catalog.md, generated.
[[nodiscard]] std::string catalog_reference();

}  // namespace orrery::platform
