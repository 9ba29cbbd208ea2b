// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes space files, values of their expressions at some points, and files of stored points.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/journal/journal.h"
#include "orrery/explore/space/sample.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery::explore;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto space = parse_space(text, "fuzz")) {
    if (const auto drawn = sample_points(*space, SampleMethod::latin, 8)) {
      for (const std::uint64_t point : drawn->points) {
        (void)spec_at(*space, space->at(point));
        (void)rates_at(*space, space->at(point));
      }
    }
  }
  StoredPoints stored;
  std::map<std::string, std::string> lines;
  orrery::explore::Freshness fresh("");
  parse_journal(text, fresh, stored, lines);
  return 0;
}
