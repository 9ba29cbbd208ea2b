// SPDX-License-Identifier: Apache-2.0
//
// Registers InfraGraph before main() in all programs that link orrery_platform. The linker keeps
// this file because of -u (CMakeLists.txt).
#include "addons/infragraph/infragraph.h"
#include "orrery/platform/topology/formats/registered_formats.h"

namespace orrery::platform {
namespace {

const bool kRegistered = register_format(TopologyFormat::infragraph,
                                         {.read = read_infragraph, .write = write_infragraph});

}  // namespace

extern "C" bool orrery_has_infragraph();
extern "C" bool orrery_has_infragraph() { return kRegistered; }

}  // namespace orrery::platform
