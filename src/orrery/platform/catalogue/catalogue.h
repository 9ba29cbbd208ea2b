// SPDX-License-Identifier: Apache-2.0
//
// Devices and links by name, every figure with its public source: data/catalogue.
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

/// As data/catalogue writes them; `unknown` is what is not written.
template <>
struct EnumNames<platform::Architecture> {
  using Word = EnumName<platform::Architecture>;
  static constexpr std::array names = {
      Word{"volta", platform::Architecture::volta},
      Word{"turing", platform::Architecture::turing},
      Word{"ampere", platform::Architecture::ampere},
      Word{"ada", platform::Architecture::ada},
      Word{"hopper", platform::Architecture::hopper},
      Word{"blackwell", platform::Architecture::blackwell},
      Word{"blackwell-ultra", platform::Architecture::blackwell_ultra},
      Word{"rtx-blackwell", platform::Architecture::rtx_blackwell},
      Word{"cdna2", platform::Architecture::cdna2},
      Word{"cdna3", platform::Architecture::cdna3},
      Word{"cdna4", platform::Architecture::cdna4},
      Word{"xe2", platform::Architecture::xe2},
      Word{"tpu", platform::Architecture::tpu},
      Word{"gaudi", platform::Architecture::gaudi},
      Word{"trainium", platform::Architecture::trainium}};
};
/// As data/catalogue and cluster files write them.
template <>
struct EnumNames<platform::Block> {
  static constexpr std::array names = {
      EnumName<platform::Block>{"ring", platform::Block::ring},
      EnumName<platform::Block>{"fully_connected", platform::Block::fully_connected},
      EnumName<platform::Block>{"switch", platform::Block::switched}};
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

/// How a maker puts so many of a device together: islands, and a network between them.
struct SystemDesign {
  std::int64_t island = 0;        ///< devices behind one scale-up link; 0: there is no usual way
  Block block = Block::switched;  ///< of an island, in each of its dimensions
  std::int64_t dimensions = 1;    ///< of an island; 2 or 3 make it a torus, as even as can be
  std::string scale_up;           ///< a link of the catalogue
  std::string scale_out;          ///< a link of the catalogue, through switches; empty: an island
                                  ///< is the largest machine
  double ports = 1;               ///< scale-out ports of one device
  std::string source;             ///< public document of such a machine

  static constexpr auto fields = std::tuple{
      config::field("island", &SystemDesign::island, "devices of one island", config::at_least(1))
          .required(),
      config::field("block", &SystemDesign::block, "network of an island").required(),
      config::field("dimensions", &SystemDesign::dimensions, "of an island", config::between(1, 3)),
      config::field("scale_up", &SystemDesign::scale_up, "link inside an island").required(),
      config::field("scale_out", &SystemDesign::scale_out, "link between islands"),
      config::field("ports", &SystemDesign::ports, "ports of a device between islands",
                    config::positive()),
      config::field("source", &SystemDesign::source, "public document").required()};
};

/// How much longer its products take in steps than alone; see StepEffects::Factor.
struct StepFactor {
  std::int64_t bits = 16;
  double factor = 1;
  double lower = 0, upper = 0;

  static constexpr auto fields = std::tuple{
      config::field("bits", &StepFactor::bits, "of a number of the first input").required(),
      config::field("factor", &StepFactor::factor, "times as long", config::positive()).required(),
      config::field("least", &StepFactor::lower, "80 % of steps say at least so much more or less")
          .required(),
      config::field("most", &StepFactor::upper, "… and at most").required()};
};

/// One accelerator. What follows `source` is there only where a public document says it.
struct DeviceEntry {
  std::string name;                  ///< as a cluster file writes it
  std::string title;                 ///< as its maker writes it
  std::vector<std::string> drivers;  ///< what drivers call it, and so recordings
  std::vector<Peak> peaks;           ///< the first is the default
  Bandwidth memory_bandwidth{};
  Bytes memory{};
  Bytes usable{};      ///< of it, what PyTorch finds ("has a total capacity of 79.15 GiB", in
                       ///< public logs of such devices, the least); 0: nobody says
  std::string source;  ///< public document with these figures, but for `usable`
  Architecture architecture = Architecture::unknown;
  std::int64_t sms = 0;  ///< SMs, compute units, or cores with matrix units; 0: unknown
  double clock_mhz = 0;  ///< boost clock, the one of the matrix peaks if there are two; 0: unknown
  FlopRate vector{};     ///< FLOP/s of fp32 outside the matrix units; 0: unknown
  Bytes l2{};            ///< cache that all of them share; 0: unknown
  Bytes shared{};        ///< memory that a program manages, of each of `sms`; 0: unknown
  double power_w = 0;    ///< W, at most, of the device or its board; 0: unknown
  std::string facts_source;  ///< public documents with `sms` to `power_w`
  SystemDesign build = {};
  std::vector<StepFactor> in_step;  ///< fitted to published steps; empty: nobody's steps say
  std::string in_step_source;       ///< to whose

  /// The peak at `precision`, or null.
  [[nodiscard]] const Peak* peak(std::string_view precision) const;

  static constexpr auto fields = std::tuple{
      config::field("name", &DeviceEntry::name, "as a cluster file writes it").required(),
      config::field("title", &DeviceEntry::title, "as its maker writes it").required(),
      config::field("drivers", &DeviceEntry::drivers, "what drivers call it"),
      config::field("peaks", &DeviceEntry::peaks, "dense peaks", config::at_least(1)).required(),
      config::field("memory_bandwidth", &DeviceEntry::memory_bandwidth, "of its memory",
                    config::positive())
          .required(),
      config::field("memory", &DeviceEntry::memory, "its memory", config::positive()).required(),
      config::field("usable", &DeviceEntry::usable, "what programs find of it", config::positive()),
      config::field("source", &DeviceEntry::source, "public document with these figures")
          .required(),
      config::field("architecture", &DeviceEntry::architecture, "design of its matrix units"),
      config::field("sms", &DeviceEntry::sms, "SMs, compute units or cores", config::at_least(1)),
      config::field("clock_mhz", &DeviceEntry::clock_mhz, "boost clock", config::positive()),
      config::field("vector", &DeviceEntry::vector, "fp32 outside the matrix units",
                    config::positive()),
      config::field("l2", &DeviceEntry::l2, "cache that all SMs share", config::positive()),
      config::field("shared", &DeviceEntry::shared, "memory of an SM", config::positive()),
      config::field("power_w", &DeviceEntry::power_w, "W, at most", config::positive()),
      config::field("facts_source", &DeviceEntry::facts_source, "public documents with these"),
      config::field("build", &DeviceEntry::build, "how its maker puts many together"),
      config::field("in_step", &DeviceEntry::in_step, "products in steps beside products alone"),
      config::field("in_step_source", &DeviceEntry::in_step_source, "steps that say it")};
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
/// The device that drivers call so ("NVIDIA H100 80GB HBM3"), or null.
[[nodiscard]] const DeviceEntry* find_device_by_driver(std::string_view name);

/// The devices of a text such as data/catalogue has. Errc: config_*.
[[nodiscard]] Result<std::vector<DeviceEntry>> read_devices(std::string_view yaml);

/// What is wrong with the catalogue, which would be our mistake: reads all entries.
[[nodiscard]] Result<void> check_catalogue();

/// The page docs/reference/catalogue.md, generated.
[[nodiscard]] std::string catalogue_reference();

}  // namespace orrery::platform
