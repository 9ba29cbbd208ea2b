// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/library_machine.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "orrery/model/collective/nccl/settings.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/placement/node_dimensions.h"

namespace orrery::model {

using Design = platform::Architecture;
using platform::Dimension;

namespace {

nccl::Generation generation_of(Design architecture) {
  switch (architecture) {
    case Design::hopper:
      return nccl::Generation::hopper;
    case Design::blackwell:
    case Design::blackwell_ultra:
    case Design::rtx_blackwell:
      return nccl::Generation::blackwell;
    case Design::ampere:
    case Design::ada:
    case Design::cdna2:
    case Design::cdna3:
    case Design::cdna4:
      return nccl::Generation::ampere;
    default:
      return nccl::Generation::volta;
  }
}

bool is_amd(Design architecture) {
  return architecture == Design::cdna2 || architecture == Design::cdna3 ||
         architecture == Design::cdna4;
}

/// Rate of one device into the dimension, in one direction, in GB/s.
double links(const Dimension& dim) {
  const double one = dim.bandwidth.count() / 1e9;
  switch (dim.block) {
    case platform::Block::fully_connected:
      return one * static_cast<double>(std::max<std::int64_t>(dim.size - 1, 1));
    case platform::Block::ring:
      return dim.size > 2 ? 2 * one : one;
    case platform::Block::switched:
      break;
  }
  return one;
}

}  // namespace

LibraryMachine library_machine(const platform::Platform& platform) {
  const platform::DeviceEntry* entry = platform::find_device(platform.device.entry);
  const Design architecture = entry == nullptr ? Design::unknown : entry->architecture;
  LibraryMachine machine;
  nccl::Hardware& hardware = machine.hardware;
  hardware.generation = generation_of(architecture);
  machine.node_dims = platform::node_dimensions(platform);
  const std::string_view usual = entry == nullptr ? std::string_view() : entry->build.scale_up;
  hardware.nvlink = !usual.starts_with("pcie");
  const Dimension& first = platform.dims.front();
  hardware.multicast = hardware.nvlink && first.block == platform::Block::switched;
  hardware.collnet = platform.collectives.settings.collnet;
  if (is_amd(architecture)) hardware.usable = 48.0 / 64;
  hardware.reached = !first.unknown_pcie.empty();
  if (machine.node_dims > 0) hardware.intra = links(first);
  for (std::size_t d = machine.node_dims; d < platform.dims.size(); ++d) {
    if (platform.dims[d].size < 2) continue;
    const double rate = links(platform.dims[d]);
    hardware.inter = hardware.inter > 0 ? std::min(hardware.inter, rate) : rate;
  }
  return machine;
}

Result<std::shared_ptr<const LibraryTimes>> make_library_times(const platform::Platform& platform,
                                                               std::vector<CollectiveCurve> own,
                                                               std::vector<nccl::TunerLine> tuner) {
  if (platform.collectives.library == platform::CollectiveLibrary::ideal ||
      platform.rules == platform::Rules::astra)
    return std::shared_ptr<const LibraryTimes>();
  auto allowed = read_allowed(platform.collectives.settings, "/collectives/settings");
  if (!allowed) return tl::unexpected(std::move(allowed.error()));
  const LibraryTimes alone(library_machine(platform).hardware, platform.device.entry,
                           std::move(own), nccl::Chooser{*allowed, std::move(tuner)});
  return std::make_shared<const LibraryTimes>(
      alone.in_steps(platform.device.in_step.collectives.value_or(1)));
}

}  // namespace orrery::model
