// SPDX-License-Identifier: MIT
//
// For tests: a plug-in of another version of the interface, without ns-3.
#include "plugins/ns3/orrery_ns3.h"

extern "C" __attribute__((visibility("default"))) const OrreryNs3Functions* orrery_ns3_functions() {
  static const OrreryNs3Functions functions{.abi = ORRERY_NS3_ABI + 1, .version = "ns-3 of old"};
  return &functions;
}
