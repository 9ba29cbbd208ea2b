// SPDX-License-Identifier: Apache-2.0
//
// What the files that make a fabric share.
#pragma once

#include <string>
#include <vector>

#include "orrery/platform/catalogue.h"
#include "orrery/platform/fabric.h"

namespace orrery::platform {

/// Looks up the links that faults name.
void set_faults(const std::vector<FaultSection>& sections, const std::string& path, Fabric& fabric,
                Reading& reading);

/// Looks up the switches that can do collectives' work.
void set_reducers(const std::vector<ReducerSection>& sections, const std::string& path,
                  Fabric& fabric, Reading& reading);

[[nodiscard]] inline InNetwork in_network_of(const InNetworkSection& section) {
  return {section.latency, section.buffer, section.radix, section.streams};
}

/// The link of the catalogue; null, and an error at `path`: there is none.
[[nodiscard]] const LinkEntry* known_link(const std::string& name, const std::string& path,
                                          Reading& reading);

/// The fabric of a file beside the cluster file.
[[nodiscard]] std::optional<Topology> imported(const std::string& file, const std::string& path,
                                               Findings& findings, Reading& reading);

}  // namespace orrery::platform
