// SPDX-License-Identifier: Apache-2.0
//
// A file of curves of anybody's making: read, or refused; what is read can be asked and written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/model/collective/curves/curve_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::model;
  const auto curves = parse_curves({reinterpret_cast<const char*>(data), size}, "curves.yaml");
  if (!curves) return 0;
  for (const MeasuredCollective& curve : *curves) (void)curve.curve(1 << 20);
  (void)write_curves(*curves);
  return 0;
}
