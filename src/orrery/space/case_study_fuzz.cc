// SPDX-License-Identifier: Apache-2.0
//
// Case studies and kept results as anybody may have written them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/space/case_study.h"
#include "orrery/space/kept.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)orrery::space::parse_case_study(text, "fuzz");
  (void)orrery::space::parse_kept(text);
  return 0;
}
