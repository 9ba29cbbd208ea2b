// SPDX-License-Identifier: Apache-2.0
//
// Text from files in messages, on terminals and in other languages. Whatever comes in, bytes that
// are no UTF-8 included, what goes out is well-formed. Who writes names anywhere uses these.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// How much of a name or a value a message shows.
inline constexpr std::size_t kShownBytes = 60;

/// How many bytes the well-formed UTF-8 character at the front of `text` has; 0 when it is not one.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// True when `text` is well-formed UTF-8; else `bad` is the offset of the first wrong byte.
[[nodiscard]] bool is_utf8(std::string_view text, std::size_t& bad);

/// At most `bytes` of `text`; a cut never falls inside a character.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t bytes);

/// The same, and "…" where it was cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t bytes);

/// `text` without what a terminal would obey: control characters (C0, C1, DEL) and bytes that are
/// not UTF-8 become '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The same, shortened to `bytes`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t bytes);

/// The same for text of several lines: newlines stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Text for messages: printable, in double quotes, "..." where it was cut. For people: quotes
/// inside stay as they are.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t bytes = kShownBytes);

/// How JSON text writes a newline, a tab, a carriage return: "\n" or "\u000a".
enum class JsonBreaks { letters, numbers };

/// Appends `text` as JSON text, quotes included; U+FFFD for bytes that are not UTF-8.
void append_json_text(std::string& out, std::string_view text,
                      JsonBreaks breaks = JsonBreaks::letters);

/// A step of a JSON pointer (RFC 6901): "/a~1b" for "a/b".
[[nodiscard]] std::string pointer_step(std::string_view key);

/// Appends `text` as XML content. U+FFFD for what XML cannot hold: bytes that are not UTF-8,
/// control characters but newline and tab, U+FFFE, U+FFFF. For an attribute's value, `quotes` are
/// escaped as well: any of " and '.
void append_xml_text(std::string& out, std::string_view text, std::string_view quotes = {});
/// The same as a text of its own, good between tags and in double quotes.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Appends `text` as a label of Graphviz' dot, quotes included. Control characters but newlines
/// become spaces; U+FFFD for NUL and bytes that are not UTF-8.
void append_dot_text(std::string& out, std::string_view text);

/// What a list as people type it has: "8", "2" of "8,2"; an empty text has one, which is empty.
[[nodiscard]] std::vector<std::string_view> list_items(std::string_view list);

/// The name of a table or column in SQL. Bytes stay as they are: it has to name the same.
[[nodiscard]] std::string sql_name(std::string_view name);

/// One word for a POSIX shell, in single quotes only where it has to be. Bytes stay as they are.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace orrery
