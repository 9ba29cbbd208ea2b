// SPDX-License-Identifier: Apache-2.0
//
// Data sheets of devices as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/silicon.h"

namespace orrery::model {

/// Parses devices, one per line: "name architecture=hopper bf16=989e12 memory=3.35e12 …" in SI
/// units. '#' begins a comment. Keys: architecture; a peak by the name of its format, FLOP/s;
/// vector, memory, memory_bytes, l2_bytes, shared_bytes, clock, power, processors as in Silicon.
/// Errc: config_syntax, config_unknown_key, config_range, config_missing_key (memory),
/// config_conflict (duplicate name).
[[nodiscard]] Result<std::vector<Silicon>> read_silicons(std::string_view text,
                                                         const std::string& where);

}  // namespace orrery::model
