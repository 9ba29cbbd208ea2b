// SPDX-License-Identifier: Apache-2.0
//
// The link between a device and the memory of its host.
#pragma once

#include <string_view>

#include "orrery/platform/platform.h"

namespace orrery::study {

/// A link of the catalog, and the public document that states it.
struct HostLink {
  std::string_view device;  ///< name in the catalog
  std::string_view link;    ///< name in the catalog
  std::string_view source;
};

/// The link of a device of the catalog to its host; null: no public document states it.
[[nodiscard]] const HostLink* find_host_link(const platform::Device& device);

}  // namespace orrery::study
