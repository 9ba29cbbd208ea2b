// SPDX-License-Identifier: Apache-2.0
//
// Formats of topology files that add-ons read and write. The core detects them.
#pragma once

#include <cstddef>
#include <string>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

struct RegisteredFormat {
  /// `bytes`: the length of the file.
  Result<Topology> (*read)(const config::Json& file, std::size_t bytes, const std::string& where,
                           Findings& findings) = nullptr;
  std::string (*write)(const Topology& topology) = nullptr;
};

/// Add-ons call it once for each of their formats, before main(). Returns true.
bool register_format(TopologyFormat format, const RegisteredFormat& functions);

/// Whether the add-on of the format is part of this program.
[[nodiscard]] bool is_registered(TopologyFormat format);

/// Errc: input_unsupported if the program lacks the add-on, and those of its reader.
[[nodiscard]] Result<Topology> read_registered(TopologyFormat format, const config::Json& file,
                                               std::size_t bytes, const std::string& where,
                                               Findings& findings);

/// The topology as a file. Errc: input_unsupported if the program lacks the add-on.
[[nodiscard]] Result<std::string> write_registered(TopologyFormat format, const Topology& topology,
                                                   const std::string& where);

}  // namespace orrery::platform
