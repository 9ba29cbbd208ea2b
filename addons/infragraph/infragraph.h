// SPDX-License-Identifier: Apache-2.0
//
// InfraGraph (MLCommons): devices made of components, instances of devices, edges with slices. YAML
// or JSON; see docs of the format at github.com/keysight/infragraph.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/topology/topology.h"

namespace orrery::platform {

/// Reads schemas 1 and 2, and older ones (legacy_schema): under `infrastructure` or bare, with or
/// without annotations, a device alone, or a graph as networkx has it. An xpu is a device; an
/// instance in which there is one, or a CPU or a NIC, is a machine. `bytes`: how long the file is;
/// see limits::kFabricFloor. Errc: input_corrupt, input_range, input_cycle, input_empty,
/// input_missing_attr (what the format needs, or gigatransfers without a width),
/// input_unsupported, limit_exceeded.
[[nodiscard]] Result<Topology> read_infragraph(const config::Json& file, std::size_t bytes,
                                               const std::string& where, Findings& findings);
[[nodiscard]] Result<Topology> read_infragraph(std::string_view text, const std::string& where,
                                               Findings& findings);

/// The topology as InfraGraph 2.4 (YAML): an instance for each machine and for each node between
/// machines, devices that are alike once. What the format has no words for stands in annotations
/// called "orrery", from which read_infragraph() makes the same again: nodes' order, names, classes
/// and hosts; links that differ by direction, lie side by side or are bundles, which others see as
/// one edge as wide as all of one direction. Not kept: `origin`, formulas of routes, characters in
/// names that a terminal would obey. Reading goes as far as configurations may
/// (limits::kConfigBytes).
[[nodiscard]] std::string write_infragraph(const Topology& topology);

}  // namespace orrery::platform
