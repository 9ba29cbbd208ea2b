// SPDX-License-Identifier: Apache-2.0
//
// The hardware that NCCL detects, and the choices that it makes, in the nodes that a device's maker
// builds.
#pragma once

#include <optional>
#include <string_view>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/curves/protocol_changes.h"
#include "orrery/model/collective/nccl/channels.h"

namespace orrery::calibrate {

/// The hardware that NCCL detects in the maker's nodes of a device. Empty: the catalog does not
/// contain the device, or does not describe its nodes.
[[nodiscard]] std::optional<model::nccl::Hardware> maker_hardware(std::string_view device);

/// The choices of NCCL's cost model by size, in a group of such devices. Empty (no function) if
/// maker_hardware() is empty or NCCL's cost model does not cover the collective.
[[nodiscard]] model::ProtocolAt nccl_choices(std::string_view device, graph::CollectiveType type,
                                             const model::nccl::Shape& shape);

}  // namespace orrery::calibrate
