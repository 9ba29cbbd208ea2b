// SPDX-License-Identifier: Apache-2.0
//
// Typed access to members of JSON objects. Missing members and members of another type are empty.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::calibrate {

using JsonObject = simdjson::dom::object;

/// An integer from 0 to 2^63 - 1, as number or as text.
[[nodiscard]] std::optional<std::int64_t> integer_field(const JsonObject& object,
                                                        std::string_view key);
/// A finite number.
[[nodiscard]] std::optional<double> number_field(const JsonObject& object, std::string_view key);
/// Empty: the member is not a string.
[[nodiscard]] std::string_view text_field(const JsonObject& object, std::string_view key);
/// The result is valid as long as `object`.
[[nodiscard]] std::optional<JsonObject> object_field(const JsonObject& object,
                                                     std::string_view key);

/// Parses one JSON object. If that fails, corrects common mistakes (trace/json/repair.h), parses
/// again and sets `repaired`. Views are valid until the next call.
class JsonRecordParser {
 public:
  [[nodiscard]] std::optional<JsonObject> parse(std::string_view text, bool& repaired);

 private:
  simdjson::dom::parser parser_;
  std::string repaired_text_;
};

}  // namespace orrery::calibrate
