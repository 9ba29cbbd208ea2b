// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>

#include "orrery/core/check.h"
#include "orrery/result/run_reader.h"
#include "orrery/result/table_reader.h"

using namespace orrery;
using namespace orrery::result;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sqlite3* opened = nullptr;
  ORRERY_CHECK(sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK);
  const Database database(opened);
  // SQLite does not write to a database that is deserialized read-only.
  auto* bytes = const_cast<std::uint8_t*>(data);
  const auto count = static_cast<sqlite3_int64>(size);
  if (sqlite3_deserialize(opened, "main", bytes, count, count, SQLITE_DESERIALIZE_READONLY) !=
      SQLITE_OK)
    return 0;
  const Result<Run> run = read_database(opened, size, "fuzz.orrery");
  if (run) {
    // What was read can be used: every span at every rank, with its peers.
    for (std::uint32_t rank = 0; rank < run->ranks.size(); ++rank) {
      for (const Span& span : run->timeline(rank).spans) {
        ORRERY_CHECK(span.rest() >= Time{});
        if (span.kind == SpanKind::collective)
          ORRERY_CHECK(run->collective_of(rank, span) < run->collectives.size());
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
