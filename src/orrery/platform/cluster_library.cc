// SPDX-License-Identifier: Apache-2.0
//
// Whose collectives a cluster runs.
#include "orrery/platform/catalogue.h"
#include "orrery/platform/cluster_file.h"

namespace orrery::platform {
namespace {

/// Nothing is said of how ideal collectives are cut, ordered and run.
bool says_nothing(const CollectivesSection& section) {
  const CollectivesSection usual;
  return section.chunks == usual.chunks && section.active_chunks == usual.active_chunks &&
         section.queues_per_dim == usual.queues_per_dim &&
         section.optimization == usual.optimization && section.order == usual.order &&
         section.within.value_or(IntraDimension::fifo) == IntraDimension::fifo &&
         section.rendezvous == usual.rendezvous && section.all_reduce.empty() &&
         section.all_gather.empty() && section.reduce_scatter.empty() && section.all_to_all.empty();
}

/// Devices whose collectives NCCL runs, or RCCL.
bool is_gpu(const Device& device) {
  const DeviceEntry* entry = find_device(device.entry);
  if (entry == nullptr) return false;
  switch (entry->architecture) {
    case Architecture::volta:
    case Architecture::turing:
    case Architecture::ampere:
    case Architecture::ada:
    case Architecture::hopper:
    case Architecture::blackwell:
    case Architecture::blackwell_ultra:
    case Architecture::rtx_blackwell:
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return true;
    case Architecture::unknown:
    case Architecture::xe2:
    case Architecture::tpu:
    case Architecture::gaudi:
    case Architecture::trainium:
      break;
  }
  return false;
}

}  // namespace

void set_library(const ClusterSection& file, Platform& platform, Reading& reading) {
  const CollectivesSection& section = file.collectives;
  CollectiveConfig& config = platform.collectives;
  const bool free = says_nothing(section) && platform.network == NetworkModelKind::analytical &&
                    !platform.fabric && !file.shared_bus && file.endpoint_delay.count() == 0;
  config.library = section.library.value_or(
      free && is_gpu(platform.device) ? CollectiveLibrary::nccl : CollectiveLibrary::ideal);
  const bool ideal = config.library == CollectiveLibrary::ideal;
  if (ideal && (section.settings || section.curves))
    return reading.fail(Errc::config_conflict,
                        section.settings ? "/collectives/settings" : "/collectives/curves",
                        "is given, but no library runs the collectives", "add library: nccl");
  if (ideal && platform.device.in_step.collectives)
    return reading.fail(Errc::config_conflict, "/device/in_step/collectives",
                        "is given, but no library runs the collectives",
                        "it is for collectives: nccl");
  if (!ideal && !(section.all_reduce.empty() && section.all_gather.empty() &&
                  section.reduce_scatter.empty() && section.all_to_all.empty()))
    return reading.fail(Errc::config_conflict, "/collectives/library",
                        "nccl chooses algorithms itself, and some are given",
                        "leave them out, or take library: ideal");
  if (!ideal && !is_gpu(platform.device))
    return reading.fail(Errc::config_conflict, "/collectives/library",
                        "nccl runs on GPUs of the catalogue, and the device is none",
                        "name one with device: {is: …}, or take library: ideal");
  if (section.settings) {
    const LibrarySection& set = *section.settings;
    config.settings = {
        set.algo,        set.proto, set.min_channels,      set.max_channels, set.nvls.yes,
        set.collnet.yes, {},        set.tuner.value_or("")};
  }
  config.settings.curves = section.curves.value_or("");
}

}  // namespace orrery::platform
