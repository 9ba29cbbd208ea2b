// SPDX-License-Identifier: Apache-2.0
//
// Converts the collectives section of a cluster file for the platform. Private to this folder.
#pragma once

#include "orrery/platform/cluster/file/cluster_file.h"
#include "orrery/platform/platform.h"

namespace orrery::platform {

/// Checks algorithms against the network that they run on.
void set_collectives(const ClusterSection& file, Platform& platform, Reading& reading);

}  // namespace orrery::platform
