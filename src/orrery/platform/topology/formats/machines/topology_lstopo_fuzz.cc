// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/platform_testing.h"
#include "orrery/platform/topology/formats/read_topology.h"

using namespace orrery;
using namespace orrery::platform;
using orrery::platform::fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  check(read_topology(text, "lstopo.xml", findings));
  return 0;
}
