// SPDX-License-Identifier: Apache-2.0
//
// Our own cluster file: one YAML or JSON document with units, checked against one table of
// parameters.
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// The cluster `path` describes ("-" is not accepted here), under Rules::orrery.
/// Errc: config_*; places are JSON pointers, e.g. "cluster.yaml:/network/0/bandwidth".
[[nodiscard]] Result<Platform> read_cluster(const std::string& path, Findings& findings);

/// The same from text; `where` names it in errors.
[[nodiscard]] Result<Platform> parse_cluster(std::string_view text, const std::string& where,
                                             Findings& findings);

/// The JSON Schema (draft 2020-12) of the cluster file, generated from the same table the reader
/// uses.
[[nodiscard]] std::string cluster_schema();

/// The cluster file a platform corresponds to, every default written out.
[[nodiscard]] std::string resolved_cluster(const Platform& platform);

}  // namespace orrery::platform
