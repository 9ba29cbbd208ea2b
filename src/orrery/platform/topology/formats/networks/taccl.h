// SPDX-License-Identifier: Apache-2.0
//
// TACCL's and MSCCL's topologies (JSON) with a matrix of links.
#pragma once

#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// `links[to][from]` is the number of parallel links. Errc: input_missing_attr (a file with costs
/// by kind of link, but without the links between GPUs), input_unsupported (a sketch with hints for
/// a synthesizer), input_corrupt, limit_exceeded.
[[nodiscard]] Result<Topology> read_taccl(const config::Json& file, const std::string& where,
                                          Findings& findings);

}  // namespace orrery::platform
