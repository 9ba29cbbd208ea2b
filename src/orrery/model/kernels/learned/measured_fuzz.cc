// SPDX-License-Identifier: Apache-2.0
//
// Tables of measured kernels and files of devices from arbitrary bytes: an answer, never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/model/kernels/learned/measured.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  orrery::model::MeasuredKernels rows;
  (void)orrery::model::read_measured(text, "fuzz", rows);
  (void)orrery::model::read_silicons(text, "fuzz");
  return 0;
}
