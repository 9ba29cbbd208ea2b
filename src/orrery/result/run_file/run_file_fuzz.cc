// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>

#include "orrery/core/check.h"
#include "orrery/result/run_file/run_database.h"
#include "orrery/result/run_file/table_reader.h"

using namespace orrery;
using namespace orrery::result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  auto database = open_run_file(bytes, "fuzz.orrery");
  const Result<Run> run =
      database ? read_database(*database) : Result<Run>(tl::unexpected(database.error()));
  if (run) {
    // A run that was read must be safe to use: visit all spans at all ranks, and their peers.
    for (std::uint32_t rank = 0; rank < run->ranks.size(); ++rank) {
      for (const Span& span : run->timeline(rank).spans) {
        ORRERY_CHECK(span.rest() >= Time{});
        if (span.kind == SpanKind::collective)
          ORRERY_CHECK(run->collective_of(rank, span) < run->collective_count());
        if (span.peer_span != kNone)
          ORRERY_CHECK(span.peer_span < run->timeline(run->peer(rank, span.distance)).spans.size());
      }
      if (rank == 64) break;
    }
    return 0;
  }
  ORRERY_CHECK(!run.error().where.empty());
  ORRERY_CHECK(!run.error().what.empty());
  return 0;
}
