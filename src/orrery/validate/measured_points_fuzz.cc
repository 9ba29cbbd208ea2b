// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/validate/measured_points.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::Findings findings;
  (void)orrery::validate::parse_points(std::string_view(reinterpret_cast<const char*>(data), size),
                                       "fuzz", findings);
  return 0;
}
