// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "orrery/profile/comm.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

/// A METADATA node (id 0) that defines these groups as PyTorch's traces do: a list with one JSON
/// text, in Python's syntax. Omits groups without a name, and all but the first group of a name. If
/// no group remains, the node has no name.
[[nodiscard]] trace::chakra::NodeRecord group_node(const std::vector<profile::Group>& groups);

}  // namespace orrery::intake
