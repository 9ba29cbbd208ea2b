// SPDX-License-Identifier: Apache-2.0
//
// The names in the JSON that commands print (--json), each declared once, for all commands. The
// schemas of outputs come from here (output_schema.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orrery::report {

enum class JsonType : std::uint8_t {
  quantity,  ///< a number; its name ends in the unit
  count,     ///< also a number from 0, or an identifier that is a number
  share,     ///< from 0 to 1; its name ends in `_share`
  ratio,     ///< of two numbers of one unit, a factor or a relative error
  in_unit,   ///< a number whose unit another field states; prices: the user's currency
  text,
  flag,
  object
};

enum class JsonForm : std::uint8_t {
  one,
  list,
  lists,  ///< a list of lists
  map     ///< an object whose names are data: kinds, rules, axes
};

struct JsonKey {
  std::string_view name;
  JsonType type;
  std::string_view about;
  JsonForm form = JsonForm::one;
  /// Of an object: the names that it may have. "=NAME": as the object NAME. "*": any.
  std::string_view members = {};
};

/// Sorted by name.
[[nodiscard]] std::span<const JsonKey> json_keys();
/// Null: there is no such name.
[[nodiscard]] const JsonKey* json_key(std::string_view name);

/// "ns", "bytes", "flop_per_s" …: the unit that a name ends in; empty: it does not end in one.
[[nodiscard]] std::string_view unit_of(std::string_view name);

struct JsonResult {
  std::string_view command;
  std::string_view members;  ///< the names that `result` may have
};
/// The commands that print JSON, sorted by name.
[[nodiscard]] std::span<const JsonResult> command_results();

/// Where the tables are.
std::span<const JsonKey> quantity_keys();
std::span<const JsonKey> count_keys();
std::span<const JsonKey> ratio_keys();
std::span<const JsonKey> text_keys();
std::span<const JsonKey> object_keys();
std::span<const JsonKey> list_keys();

}  // namespace orrery::report
