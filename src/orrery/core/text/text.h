// SPDX-License-Identifier: Apache-2.0
//
// Text from files for messages, terminals and other languages. Input may be any bytes, including
// invalid UTF-8; output is well-formed. All code that writes names uses these functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The maximum length of a name or a value in a message.
inline constexpr std::size_t kShownBytes = 60;

/// The length in bytes of the UTF-8 character at the start of `text`; 0 if it is not well-formed.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Whether `text` is well-formed UTF-8. If not, `bad` is the offset of the first wrong byte.
[[nodiscard]] bool is_utf8(std::string_view text, std::size_t& bad);

/// The first `bytes` bytes of `text`, or fewer: a cut never splits a character.
[[nodiscard]] std::string_view beginning(std::string_view text, std::size_t bytes);

/// The same, with "…" if it was cut.
[[nodiscard]] std::string truncate(std::string_view text, std::size_t bytes);

/// `text` without terminal control: control characters (C0, C1, DEL) and bytes that are not UTF-8
/// become '?'.
[[nodiscard]] std::string printable(std::string_view text);

/// The same, shortened to `bytes`.
[[nodiscard]] std::string printable(std::string_view text, std::size_t bytes);

/// The same for text with several lines: newlines are preserved.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Text for messages: printable, in double quotes, "..." if it was cut. For people: quotes inside
/// are not escaped.
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t bytes = kShownBytes);

/// How JSON text contains a newline, a tab, a carriage return: "
/// " or "\u000a".
enum class JsonBreaks { letters, numbers };

/// Appends `text` as JSON text, quotes included; U+FFFD for bytes that are not UTF-8.
void append_json_text(std::string& out, std::string_view text,
                      JsonBreaks breaks = JsonBreaks::letters);

/// A step of a JSON pointer (RFC 6901): "/a~1b" for "a/b".
[[nodiscard]] std::string pointer_step(std::string_view key);

/// Appends `text` as XML content. U+FFFD replaces what XML does not allow: bytes that are not
/// UTF-8, control characters except newline and tab, U+FFFE, U+FFFF. For attribute values, the
/// characters in `quotes` (" or ') are escaped, too.
void append_xml_text(std::string& out, std::string_view text, std::string_view quotes = {});
/// The same as a new string, for use between tags and in double quotes.
[[nodiscard]] std::string xml_text(std::string_view text);

/// Appends `text` as a quoted label of Graphviz dot. Control characters except newlines become
/// spaces; U+FFFD replaces NUL and bytes that are not UTF-8.
void append_dot_text(std::string& out, std::string_view text);

/// The items of a list as users type it: "8" and "2" of "8,2". An empty text has one empty item.
[[nodiscard]] std::vector<std::string_view> list_items(std::string_view list);

/// `name` as an identifier in SQL. Its bytes are unchanged, so that it refers to the same table or
/// column.
[[nodiscard]] std::string sql_name(std::string_view name);

/// One word for a POSIX shell, in single quotes only if necessary. Its bytes are unchanged.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace orrery
