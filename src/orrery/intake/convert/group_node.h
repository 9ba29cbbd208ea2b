// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/profile/comm.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

/// A METADATA node (id 0) that defines these groups as real traces do: one JSON text in a list, as
/// Python prints it. Groups without a name, and further ones of one name, are left out; no name
/// when none is left.
[[nodiscard]] trace::chakra::NodeRecord group_node(const std::vector<profile::Group>& groups);

}  // namespace orrery::intake
