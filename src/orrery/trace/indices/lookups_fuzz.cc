// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file of indices: tables whose bags hold all their indices, or an error that says
// where.
#include <memory>
#include <span>

#include "orrery/core/check.h"
#include "orrery/trace/indices/lookups.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const trace::BagShape& shape :
       {trace::BagShape{}, trace::BagShape{"", "", 2, 1}, trace::BagShape{"", "", 0, 3}}) {
    const auto read = trace::read_lookups(
        std::make_unique<trace::MemorySource>(std::as_bytes(std::span(data, size))), "fuzz", shape);
    if (!read) {
      ORRERY_CHECK(!read.error().where.empty() && !read.error().what.empty());
      continue;
    }
    ORRERY_CHECK(!read->empty());
    for (const trace::TableLookups& table : *read) {
      std::int64_t begin = 0;
      for (const std::int64_t end : table.ends) {
        ORRERY_CHECK(end >= begin);
        begin = end;
      }
      ORRERY_CHECK(begin == static_cast<std::int64_t>(table.indices.size()));
      for (const std::int64_t index : table.indices) ORRERY_CHECK(index >= 0);
    }
  }
  return 0;
}
