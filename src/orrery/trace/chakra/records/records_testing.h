// SPDX-License-Identifier: Apache-2.0
//
// For tests: builds traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/trace/chakra/records/record.h"

namespace orrery::trace::chakra::testing {

/// A message after its length.
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

}  // namespace orrery::trace::chakra::testing
