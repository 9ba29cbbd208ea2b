// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as a file of curves: parse_curves() accepts or rejects them; accepted curves can
// be evaluated and written.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/model/collective/curves/curve_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::model;
  const auto curves = parse_curves({reinterpret_cast<const char*>(data), size}, "curves.yaml");
  if (!curves) return 0;
  for (const CollectiveCurve& curve : *curves) (void)curve.curve(1 << 20);
  (void)write_curves(*curves);
  return 0;
}
