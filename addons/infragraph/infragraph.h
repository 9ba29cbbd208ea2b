// SPDX-License-Identifier: Apache-2.0
//
// InfraGraph (MLCommons): devices with components, instances of devices, edges with slices. YAML or
// JSON; format documentation: github.com/keysight/infragraph.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Reads schemas 1 and 2, and older ones (legacy_schema): below `infrastructure` or at top level,
/// with or without annotations, a single device, or a networkx graph. An xpu is a device; an
/// instance that contains an xpu, CPU or NIC is a machine. `bytes`: the size of the file; see
/// limits::kFabricBaseParts. Errc: input_corrupt, input_range, input_cycle, input_empty,
/// input_missing_attr (a required part, or a width for gigatransfers), input_unsupported,
/// limit_exceeded.
[[nodiscard]] Result<Topology> read_infragraph(const config::Json& file, std::size_t bytes,
                                               const std::string& where, Findings& findings);
[[nodiscard]] Result<Topology> read_infragraph(std::string_view text, const std::string& where,
                                               Findings& findings);

/// The topology as InfraGraph 2.4 (YAML): an instance for each machine and for each node between
/// machines; identical devices appear once. Properties without an InfraGraph equivalent are in
/// annotations named "orrery", from which read_infragraph() restores them: order, names, classes
/// and hosts of nodes; links that differ by direction, are parallel, or are bundles. Other readers
/// see parallel links and bundles as one edge with their total width in one direction. Not
/// preserved: `origin`, route formulas, and control characters in names. The limits::kConfigBytes
/// limit of configurations also applies when it is read.
[[nodiscard]] std::string write_infragraph(const Topology& topology);

}  // namespace orrery::platform
