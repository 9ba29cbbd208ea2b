// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/maker_hardware.h"

#include "orrery/model/collective/library/library_machine.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::calibrate {

std::optional<model::nccl::Hardware> maker_hardware(std::string_view device) {
  const platform::DeviceEntry* entry = platform::find_device(device);
  if (entry == nullptr || entry->build.island == 0) return std::nullopt;
  const platform::SystemDesign& build = entry->build;
  platform::Platform platform;
  platform.device.entry = entry->name;
  if (const auto* link = platform::find_link(build.scale_up))
    platform.dims.push_back({build.block, build.island, link->bandwidth, 0});
  if (const auto* link = platform::find_link(build.scale_out))
    platform.dims.push_back(
        {platform::Block::switched, 2, Bandwidth(link->bandwidth.count() * build.ports), 0});
  if (platform.dims.empty()) return std::nullopt;
  return model::library_machine(platform).hardware;
}

model::ProtocolAt nccl_choices(std::string_view device, graph::CollectiveType type,
                               const model::nccl::Shape& shape) {
  namespace nccl = model::nccl;
  const auto hardware = maker_hardware(device);
  if (!hardware || !nccl::tuned_index(type)) return {};
  return [type, shape,
          machine = nccl::machine_of(*hardware, shape)](std::int64_t bytes) -> std::optional<int> {
    const auto choice = nccl::choose(type, bytes, shape, machine);
    if (!choice) return std::nullopt;
    return static_cast<int>(choice->algorithm) * static_cast<int>(nccl::kProtocols) +
           static_cast<int>(choice->protocol);
  };
}

}  // namespace orrery::calibrate
