// SPDX-License-Identifier: Apache-2.0
//
// The ns-3 plug-in: packets of ns-3, behind the C interface of plugins/ns3/orrery_ns3.h. It is
// loaded on demand, so that no part of Orrery is linked with ns-3, whose license is GPL-2.
#pragma once

#include <string>

#include "orrery/core/error.h"

struct OrreryNs3Functions;  // plugins/ns3/orrery_ns3.h

namespace orrery::model {

/// The name of the plug-in's file.
inline constexpr const char* kNs3PluginFile = "orrery_ns3.so";

/// Loads the plug-in; it stays loaded until the process ends. `path`: empty, or of a file that does
/// not exist: the plug-in is not installed. Errc: usage (not installed, not a plug-in for ns-3, or
/// one of another version of the interface).
[[nodiscard]] Result<const OrreryNs3Functions*> load_ns3_plugin(const std::string& path);
/// "ns-3 3.37". Errc: as load_ns3_plugin().
[[nodiscard]] Result<std::string> ns3_version(const std::string& path);

}  // namespace orrery::model
