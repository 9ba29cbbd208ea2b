// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/infragraph.h"
#include "orrery/platform/platform_testing.h"

using namespace orrery;
using namespace orrery::platform;
using orrery::platform::fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  check(read_infragraph(text, "infra.yaml", findings));
  return 0;
}
