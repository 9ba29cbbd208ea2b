// SPDX-License-Identifier: Apache-2.0
//
// For tests: making traces, and reading them from memory.
#pragma once

#include <cstring>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/gzip_testing.h"
#include "orrery/trace/chakra/reader.h"
#include "orrery/trace/chakra/record.h"

namespace orrery::trace::chakra::testing {

/// What came of reading some bytes.
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

/// A message with its length in front.
inline std::string framed(std::string_view message) {
  std::string out;
  std::size_t length = message.size();
  while (length >= 0x80) {
    out += static_cast<char>((length & 0x7F) | 0x80);
    length >>= 7;
  }
  out += static_cast<char>(length);
  return out.append(message);
}

inline std::string metadata(std::string version = "0.0.4") {
  std::string out;
  MetadataRecord record;
  record.version = std::move(version);
  append_framed(out, record);
  return out;
}

inline NodeRecord node(std::uint64_t id, std::uint64_t type, std::vector<std::uint64_t> deps = {},
                       std::vector<AttributeRecord> attributes = {}) {
  NodeRecord out;
  out.id = id;
  out.name = "n" + std::to_string(id);
  out.type = type;
  out.data_deps = std::move(deps);
  out.attributes = std::move(attributes);
  return out;
}

inline std::string trace(const std::vector<NodeRecord>& nodes) {
  std::string out = metadata();
  for (const NodeRecord& record : nodes) append_framed(out, record);
  return out;
}

using core_testing::gzip;

}  // namespace orrery::trace::chakra::testing
