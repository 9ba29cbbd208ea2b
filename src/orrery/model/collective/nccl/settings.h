// SPDX-License-Identifier: Apache-2.0
//
// Settings of a library, from its environment variables.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/model/collective/nccl/tuning.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Parses the algorithms and protocols that the settings allow. NCCL_ALGO and NCCL_PROTO are lists
/// of names, separated by commas; a '^' before a list means all other names. A list that begins
/// with a collective and a colon applies only to this collective. Semicolons separate lists:
/// "ring,tree;allreduce:^tree". Only the first list may apply to all collectives. Case and
/// underscores in algorithms do not matter. Without NVLink SHARP, neither NVLS nor its tree may
/// run.
///
/// `where` is the place of the settings in errors. Errc: config_range (unknown names, or nothing is
/// allowed), config_conflict. Source: NVIDIA/nccl 2.30.7, the user guide's environment variables.
[[nodiscard]] Result<nccl::Allowed> read_allowed(const platform::LibrarySettings& settings,
                                                 const std::string& where);

}  // namespace orrery::model
