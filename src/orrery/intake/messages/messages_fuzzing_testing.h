// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of the formats of messages share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "orrery/core/check.h"
#include "orrery/intake/messages/message_files.h"

namespace orrery::intake::testing {

/// Reads bytes as messages, and checks the error or the workload.
inline int read_any(trace::Format format, const std::uint8_t* data, std::size_t size) {
  trace::MemorySource source(std::as_bytes(std::span(data, size)));
  Findings findings;
  const auto read = read_messages(source, format, "fuzz", findings);
  if (!read) {
    ORRERY_CHECK(!read.error().where.empty() && !read.error().what.empty());
    return 0;
  }
  ORRERY_CHECK(read->rank_count() > 0);
  for (const std::uint32_t graph : read->graph_of_rank) ORRERY_CHECK(graph < read->graphs.size());
  return 0;
}

}  // namespace orrery::intake::testing
