// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as a table of measured lookups: the result is an error with a location, or
// lookups with positive times and complete histograms, which are unchanged after writing and
// reading.
#include <cmath>
#include <string>

#include "addons/kernel_fitting/training/measured_lookups.h"
#include "orrery/core/check.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto read = model::read_lookup_rows(text, "fuzz");
  if (!read) {
    ORRERY_CHECK(!read.error().where.empty() && !read.error().what.empty());
    return 0;
  }
  for (const model::MeasuredLookup& is : *read) {
    ORRERY_CHECK(is.us > 0 && std::isfinite(is.us) && !is.device.empty() && !is.tables.empty());
    for (const model::LookupTable& table : is.tables) {
      double sum = 0;
      for (const double share : table.shares) sum += share;
      ORRERY_CHECK(std::abs(sum - 1) < 1e-6);
      for (const float x : model::lookup_inputs(table)) ORRERY_CHECK(std::isfinite(x));
    }
  }
  const auto again = model::read_lookup_rows(model::write_lookup_rows(*read), "fuzz");
  ORRERY_CHECK(again && again->size() == read->size());
  return 0;
}
