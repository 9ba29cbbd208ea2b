// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

/// Appends an integer; from 2^53 on as text, because other programs would round the number.
void append_json_number(std::string& out, std::uint64_t value);
void append_json_number(std::string& out, std::int64_t value);

/// Appends the record as JSON: "{"name": "comm_size", "int64Val": 5}" and so on.
void append_json(std::string& out, const trace::chakra::AttributeRecord& attribute);
void append_json(std::string& out, const trace::chakra::NodeRecord& node);
void append_json(std::string& out, const trace::chakra::MetadataRecord& metadata);

/// The member with this key, in either spelling ("int64Val", "int64_val").
[[nodiscard]] trace::chakra::Member member_of(std::string_view key);

}  // namespace orrery::intake
