// SPDX-License-Identifier: Apache-2.0
//
// What the parts of an InfraGraph are: the format's own words, and where they leave it open, names.
#pragma once

#include <string_view>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// What a component is. `holds_devices`: accelerators are in the same device; `ports`: how many
/// ports are. A "cpu" next to ports where no accelerator is, is the chip of a switch or of a NIC.
[[nodiscard]] NodeClass class_of(const Component& component, std::string_view device,
                                 bool holds_devices, std::uint64_t ports);
/// What a name alone says, where nothing else does: of "nvsw", "xpu", "leafsw".
[[nodiscard]] NodeClass class_of_name(std::string_view name);

/// What a link is made of, by its name, its description and what it joins.
[[nodiscard]] LinkClass class_of_link(std::string_view name, std::string_view description,
                                      NodeClass a, NodeClass b, bool same_host);

}  // namespace orrery::platform::infragraph
