// SPDX-License-Identifier: Apache-2.0
//
// For tests: reads traces from memory.
#pragma once

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/gzip_testing.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/records/records_testing.h"

namespace orrery::trace::chakra::testing {

/// The result of reading some bytes.
struct Outcome {
  Result<graph::Graph> graph;
  Findings findings;
  GroupMap groups;
};

inline Outcome read(std::string_view bytes, graph::Repair repair = graph::Repair::refuse) {
  Outcome out{fail(Errc::input_empty, "", ""), {}, {}};
  auto source =
      std::make_unique<MemorySource>(std::as_bytes(std::span(bytes.data(), bytes.size())));
  out.graph =
      read_rank(std::move(source), {"t.et", std::make_shared<StringPool>(), repair, &out.groups},
                out.findings);
  return out;
}

using core_testing::gzip;

}  // namespace orrery::trace::chakra::testing
