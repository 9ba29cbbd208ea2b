// SPDX-License-Identifier: Apache-2.0
//
// A tree of values as YAML that people like to read: mappings as blocks near the top, everything
// deeper on one line.
#pragma once

#include <string>

#include "orrery/config/parameters.h"

namespace orrery::config {

/// `root` must be an object. Mappings down to `levels` below it are blocks, and so are lists of
/// mappings or lists in them; the rest is written in YAML's flow style. Reading it gives the same
/// tree.
[[nodiscard]] std::string to_yaml(const OrderedJson& root, int levels = 1);

}  // namespace orrery::config
