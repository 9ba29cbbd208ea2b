// SPDX-License-Identifier: Apache-2.0
//
// Configuration text as one tree, whether it was JSON or YAML.
//
// Every limit on hostile text is enforced while it is read: size, nesting, number of values, alias
// expansion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/limits.h"

namespace orrery::config {

/// The bytes of a configuration file. Errc: config_not_found, limit_exceeded (more than `maximum`).
[[nodiscard]] Result<std::string> read_text(const std::string& path,
                                            std::uint64_t maximum = limits::kConfigBytes);

/// JSON text. Errc: config_syntax (with "line:column"; also a key given twice), limit_exceeded.
[[nodiscard]] Result<Json> parse_json(std::string_view text, const std::string& where);

/// The one YAML document in `text`, typed by the YAML 1.2 core schema (so JSON is fine too).
/// `repeated`: if given, a key may appear twice, as other tools' parsers allow: its last value
/// counts, and its place ("file:line:column: key") is added here. Errc: as parse_json.
[[nodiscard]] Result<Json> parse_yaml(std::string_view text, const std::string& where,
                                      std::vector<std::string>* repeated = nullptr);

/// A JSON pointer one step deeper: "/network" and "a/b" → "/network/a~1b".
[[nodiscard]] std::string pointer(std::string_view parent, std::string_view key);
[[nodiscard]] std::string pointer(std::string_view parent, std::size_t index);

/// What kind of value this is, for messages: "a list", "text", …
[[nodiscard]] std::string_view json_kind(const Json& value);

}  // namespace orrery::config
