// SPDX-License-Identifier: Apache-2.0
//
// Settings of a library, as its environment variables have them.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/model/collective/nccl/tuning.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What the settings leave to choose from. NCCL_ALGO and NCCL_PROTO are names with commas between
/// them, a '^' before all of them for all others; with a collective and a colon before them they
/// are that one's, and a semicolon ends one such list: "ring,tree;allreduce:^tree". Only the first
/// may be for all collectives. Upper and lower case are the same, underscores in algorithms say
/// nothing. Without NVLink SHARP neither NVLS nor its tree may run.
///
/// `where` names the settings in errors. Errc: config_range for words that are none and where
/// nothing is left, config_conflict. Source: NVIDIA/nccl 2.30.7, the user guide's environment
/// variables.
[[nodiscard]] Result<nccl::Allowed> read_allowed(const platform::LibrarySettings& settings,
                                                 const std::string& where);

}  // namespace orrery::model
