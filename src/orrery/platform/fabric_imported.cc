// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/fabric_internal.h"

namespace orrery::platform {

std::optional<Topology> imported(const std::string& /*file*/, const std::string& path,
                                 Findings& /*findings*/, Reading& reading) {
  reading.fail(Errc::input_unsupported, path, "cannot be read yet");
  return std::nullopt;
}

}  // namespace orrery::platform
