// SPDX-License-Identifier: Apache-2.0
//
// Members of JSON objects, where they are there and of the right kind.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::calibrate {

using JsonObject = simdjson::dom::object;

/// A whole number from 0 to 2^63 - 1; also as text.
[[nodiscard]] std::optional<std::int64_t> whole_field(const JsonObject& object,
                                                      std::string_view key);
/// A finite number.
[[nodiscard]] std::optional<double> number_field(const JsonObject& object, std::string_view key);
/// Empty where there is no text.
[[nodiscard]] std::string_view text_field(const JsonObject& object, std::string_view key);
/// Views as long as the object's.
[[nodiscard]] std::optional<JsonObject> object_field(const JsonObject& object,
                                                     std::string_view key);

/// Parses one JSON object; where it is none, once more with common mistakes put right
/// (trace/json/repair.h), and `repaired` is set. Views end with the next call.
class JsonRecord {
 public:
  [[nodiscard]] std::optional<JsonObject> parse(std::string_view text, bool& repaired);

 private:
  simdjson::dom::parser parser_;
  std::string repaired_text_;
};

}  // namespace orrery::calibrate
