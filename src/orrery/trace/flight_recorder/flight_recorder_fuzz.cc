// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as a dump of the flight recorder: records or an error with its place, never a
// crash, and never code that a pickle names.
#include <cstddef>
#include <cstdint>
#include <span>

#include "orrery/core/check.h"
#include "orrery/trace/flight_recorder/dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  trace::MemorySource source(std::as_bytes(std::span(data, size)));
  const auto dump = trace::flight_recorder::read_dump(source, "fuzz");
  if (!dump) {
    ORRERY_CHECK(dump.error().where.starts_with("fuzz"));
    return 0;
  }
  ORRERY_CHECK(dump->version.starts_with("2."));
  for (const auto& record : dump->records) ORRERY_CHECK(record.created_ns >= 0);
  return 0;
}
