// SPDX-License-Identifier: Apache-2.0
//
// What NCCL would see and run on a device in the nodes that its maker builds.
#pragma once

#include <optional>
#include <string_view>

#include "orrery/graph/graph.h"
#include "orrery/model/collective/curves/protocol_changes.h"
#include "orrery/model/collective/nccl/channels.h"

namespace orrery::calibrate {

/// A device of the catalogue in its maker's nodes, as NCCL sees it; nothing for others.
[[nodiscard]] std::optional<model::nccl::Hardware> maker_hardware(std::string_view device);

/// What NCCL's cost model chooses by size in a group of such devices. Empty (nothing to ask) for
/// devices that maker_hardware() does not know and for collectives that NCCL does not choose for.
[[nodiscard]] model::ProtocolAt nccl_choices(std::string_view device, graph::CollectiveType type,
                                             const model::nccl::Shape& shape);

}  // namespace orrery::calibrate
