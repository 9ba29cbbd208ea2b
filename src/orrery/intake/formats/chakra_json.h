// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

/// A whole number: as text from 2^53 on, where other programs would round it.
void append_json_number(std::string& out, std::uint64_t value);
void append_json_number(std::string& out, std::int64_t value);

/// "{"name": "comm_size", "int64Val": 5}" and so on.
void append_json(std::string& out, const trace::chakra::AttributeRecord& attribute);
void append_json(std::string& out, const trace::chakra::NodeRecord& node);
void append_json(std::string& out, const trace::chakra::MetadataRecord& metadata);

/// "int64Val" for a member of AttributeProto's oneof; empty for none.
[[nodiscard]] std::string_view member_key(trace::chakra::Member member);
/// The reverse, in either spelling ("int64Val", "int64_val").
[[nodiscard]] trace::chakra::Member member_of(std::string_view key);

/// "COMP_NODE"; empty for a number that has no name.
[[nodiscard]] std::string_view node_type_name(std::uint64_t type);

}  // namespace orrery::intake
