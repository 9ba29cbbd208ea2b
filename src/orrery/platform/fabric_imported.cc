// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "orrery/platform/fabric_internal.h"
#include "orrery/platform/topology/formats/read_topology.h"

namespace orrery::platform {

std::optional<Topology> imported(const std::string& file, const std::string& path,
                                 Findings& findings, Reading& reading) {
  if (file.empty()) {
    reading.fail(Errc::config_range, path, "names no file");
    return std::nullopt;
  }
  const auto beside = std::filesystem::path(reading.where).parent_path();
  Result<Topology> read = read_topology_file((beside / file).string(), findings);
  if (read) return std::move(*read);
  reading.error = read.error();
  return std::nullopt;
}

}  // namespace orrery::platform
