// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/variability.h"
#include "orrery/platform/platform_testing.h"

using namespace orrery;
using namespace orrery::platform;
using orrery::platform::fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(parse_variability(text, "variability.yaml"));
  return 0;
}
