// SPDX-License-Identifier: Apache-2.0
//
// Classes of nodes and links of an InfraGraph, from its types or, if these are ambiguous, from
// names.
#pragma once

#include <string_view>

#include "addons/infragraph/infragraph_file.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform::infragraph {

/// The class of a component. `holds_devices`: the device also contains accelerators; `ports`: the
/// number of its ports. A "cpu" with ports but without accelerators is the chip of a switch or of a
/// NIC.
[[nodiscard]] NodeClass class_of(const Component& component, std::string_view device,
                                 bool holds_devices, std::uint64_t ports);
/// The class that a name suggests if there is no type: "nvsw", "xpu", "leafsw".
[[nodiscard]] NodeClass class_of_name(std::string_view name);

/// The class of a link, from its name, its description and the nodes that it joins.
[[nodiscard]] LinkClass class_of_link(std::string_view name, std::string_view description,
                                      NodeClass a, NodeClass b, bool same_host);

}  // namespace orrery::platform::infragraph
