// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Bytes, most of them such that something has to be done about them.
rc::Gen<std::string> hostile() {
  const auto piece = rc::gen::oneOf(
      rc::gen::container<std::string>(1, rc::gen::arbitrary<char>()),
      rc::gen::element<std::string>(
          "\"", "'", "\\", "&", "<", ">", "\n", "\t", "\r", "\x1b[2J", "\x7F", std::string(1, '\0'),
          "\xC2\x9B", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBE",
          "\xEF\xBF\xBF", "\xE2\x80", "\xE2\x80\xAE", "µ", "名", "\xF0\x9F\xAA\x90", "a"));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& one : pieces) text += one;
                        return text;
                      });
}

bool well_formed(std::string_view text) {
  std::size_t bad = 0;
  return is_utf8(text, bad);
}

bool has_controls(std::string_view text, std::string_view allowed = {}) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 || byte == 0x7F) && allowed.find(text[i]) == std::string_view::npos)
      return true;
    if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;
  }
  return false;
}

/// `text` with U+FFFD for every byte that is not UTF-8, as who reads it back should find it.
std::string mended(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string json_of(std::string_view text, JsonBreaks breaks = JsonBreaks::letters) {
  std::string out;
  append_json_text(out, text, breaks);
  return out;
}

std::string xml_of(std::string_view text, std::string_view quotes = {}) {
  std::string out;
  append_xml_text(out, text, quotes);
  return out;
}

std::string dot_of(std::string_view text) {
  std::string out;
  append_dot_text(out, text);
  return out;
}

TEST(Utf8, LengthsAndTheFirstWrongByte) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("µs"), 2u);
  EXPECT_EQ(utf8_length("名前"), 3u);
  EXPECT_EQ(utf8_length("\xF0\x9F\xAA\x90"), 4u);
  for (const char* wrong : {"\x80", "\xC0\x80", "\xC3", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x80",
                            "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(utf8_length(wrong), 0u) << wrong;
  }
  std::size_t bad = 99;
  EXPECT_TRUE(is_utf8("", bad));
  EXPECT_FALSE(is_utf8("aµ\xE2\x80z", bad));
  EXPECT_EQ(bad, 3u);
}

TEST(Beginning, EndsWithACharacter) {
  EXPECT_EQ(beginning("abc", 3), "abc");
  EXPECT_EQ(beginning("abc", 2), "ab");
  EXPECT_EQ(beginning("aµb", 2), "a");
  EXPECT_EQ(beginning("\xF0\x9F\xAA\x90", 3), "");
  EXPECT_EQ(beginning(std::string(9, '\x80'), 5), std::string(5, '\x80'));
  EXPECT_EQ(beginning("abc", 0), "");
  EXPECT_EQ(truncate("abc", 3), "abc");
  EXPECT_EQ(truncate("aµb", 2), "a…");
}

RC_GTEST_PROP(Beginning, LosesLessThanACharacter, ()) {
  const std::string text = *hostile();
  const auto bytes = *rc::gen::inRange<std::size_t>(0, 40);
  const std::string_view retained = beginning(text, bytes);
  RC_ASSERT(text.starts_with(retained));
  RC_ASSERT(retained.size() <= bytes);
  RC_ASSERT(retained.size() + 3 >= std::min(bytes, text.size()));
  const std::string whole = mended(text);
  RC_ASSERT(well_formed(beginning(whole, bytes)));
}

TEST(Printable, TerminalEscapesAreInert) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("a\x1b[31mb\x07"), "a?[31mb?");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "?31m");  // the one-character form of ESC [
  EXPECT_EQ(printable("\xFFok\xC3"), "?ok?");
  EXPECT_EQ(printable("µs"), "µs");
  EXPECT_EQ(printable_lines("a\x1b\n\nb\r"), "a?\n\nb?");
  EXPECT_EQ(printable("a\nµs", 3), "a?…");
}

RC_GTEST_PROP(Printable, HasNoControlsAndIsUtf8, ()) {
  const std::string text = *hostile();
  const std::string clean = printable(text);
  RC_ASSERT(well_formed(clean));
  RC_ASSERT(!has_controls(clean));
  RC_ASSERT(printable(clean) == clean);
  if (well_formed(text) && !has_controls(text)) RC_ASSERT(clean == text);
  const std::string lines = printable_lines(text);
  RC_ASSERT(well_formed(lines));
  RC_ASSERT(!has_controls(lines, "\n"));
  RC_ASSERT(std::count(lines.begin(), lines.end(), '\n') ==
            std::count(text.begin(), text.end(), '\n'));
  const std::string quoted = in_quotes(text, 10);
  RC_ASSERT(well_formed(quoted));
  RC_ASSERT(!has_controls(quoted));
  RC_ASSERT(quoted.size() <= 10u + 5);
}

TEST(InQuotes, IsShort) {
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(in_quotes("a\nb\xFF"), "\"a?b?\"");
  EXPECT_EQ(in_quotes("aµb", 2), "\"a...\"");
  EXPECT_LT(in_quotes(std::string(1000, 'x')).size(), 70u);
}

/// What JSON text says, by the rules of RFC 8259; nothing when it breaks them. (The JSON library
/// reads it in the test of report's JsonWriter.)
std::optional<std::string> json_read(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || static_cast<unsigned char>(text[i]) < 0x20) return std::nullopt;
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    const std::size_t letter = std::string_view("\"\\ntr").find(text[i]);
    unsigned code = 0;
    if (letter != std::string_view::npos) {
      out += "\"\\\n\t\r"[letter];
    } else if (std::sscanf(std::string(text.substr(i)).c_str(), "u%4x", &code) == 1) {
      out += static_cast<char>(code);  // only ASCII is written so
      i += 4;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

TEST(JsonText, Examples) {
  EXPECT_EQ(json_of(""), R"("")");
  EXPECT_EQ(json_of("a\"\\\n\x01µ"), R"("a\"\\\n\u0001µ")");
  EXPECT_EQ(json_of("\n\t\r\x7F", JsonBreaks::numbers), R"("\u000a\u0009\u000d\u007f")");
  EXPECT_EQ(json_of("\xFF"), "\"\xEF\xBF\xBD\"");
}

RC_GTEST_PROP(JsonText, SaysWhatWentIn, ()) {
  const std::string text = *hostile();
  for (const JsonBreaks breaks : {JsonBreaks::letters, JsonBreaks::numbers}) {
    const std::string json = json_of(text, breaks);
    RC_ASSERT(well_formed(json));
    RC_ASSERT(json_read(json) == mended(text));
  }
}

TEST(PointerStep, SlashesAndTildesAreEscaped) {
  EXPECT_EQ(pointer_step(""), "/");
  EXPECT_EQ(pointer_step("a/b~c"), "/a~1b~0c");
}

TEST(XmlText, Examples) {
  EXPECT_EQ(xml_of(""), "");
  EXPECT_EQ(xml_of("<a & \"b'>\n\t"), "&lt;a &amp; \"b'&gt;\n\t");
  EXPECT_EQ(xml_of("\"'", "\""), "&quot;'");
  EXPECT_EQ(xml_of("\"'", "\"'"), "&quot;&#39;");
  EXPECT_EQ(xml_text("<\"'\xFF>"), "&lt;&quot;'\xEF\xBF\xBD&gt;");
  EXPECT_EQ(xml_of(std::string("\0\x1b\xFF\xEF\xBF\xBE", 6)),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

RC_GTEST_PROP(XmlText, IsWellFormedAndSaysWhatWentIn, ()) {
  const std::string text = *hostile();
  const std::string xml = xml_of(text, "\"'");
  RC_ASSERT(well_formed(xml));
  RC_ASSERT(xml.find_first_of("<>\"'") == std::string::npos);
  RC_ASSERT(xml.find("\xEF\xBF\xBE") == std::string::npos);
  RC_ASSERT(xml.find("\xEF\xBF\xBF") == std::string::npos);
  std::string back;
  for (std::size_t i = 0; i < xml.size();) {
    RC_ASSERT(static_cast<unsigned char>(xml[i]) >= 0x20 || xml[i] == '\n' || xml[i] == '\t');
    std::size_t length = 1;
    char c = xml[i];
    if (c == '&') {
      length = 0;
      for (const auto& [name, meant] :
           {std::pair{"&amp;", '&'}, std::pair{"&lt;", '<'}, std::pair{"&gt;", '>'},
            std::pair{"&quot;", '"'}, std::pair{"&#39;", '\''}}) {
        if (!std::string_view(xml).substr(i).starts_with(name)) continue;
        length = std::string_view(name).size();
        c = meant;
      }
      RC_ASSERT(length > 0u);
    }
    back += c;
    i += length;
  }
  const bool holdable = well_formed(text) && !has_controls(text, "\n\t") &&
                        text.find("\xEF\xBF\xBE") == std::string::npos &&
                        text.find("\xEF\xBF\xBF") == std::string::npos;
  if (holdable) RC_ASSERT(back == text);
}

TEST(DotText, Examples) {
  EXPECT_EQ(dot_of(""), "\"\"");
  EXPECT_EQ(dot_of("a\"\\\n\tµ\xFF"), "\"a\\\"\\\\\\n µ\xEF\xBF\xBD\"");
}

RC_GTEST_PROP(DotText, EndsWhereItShould, ()) {
  const std::string dot = dot_of(*hostile());
  RC_ASSERT(well_formed(dot));
  RC_ASSERT(dot.size() >= 2u);
  std::size_t at = 1;
  while (at < dot.size() && dot[at] != '"') {
    RC_ASSERT(static_cast<unsigned char>(dot[at]) >= 0x20);
    at += dot[at] == '\\' ? 2 : 1;
  }
  RC_ASSERT(at == dot.size() - 1);
}

TEST(SqlName, QuotesAreDoubled) {
  EXPECT_EQ(sql_name(""), "\"\"");
  EXPECT_EQ(sql_name("a\"; DROP TABLE b"), "\"a\"\"; DROP TABLE b\"");
}

TEST(ListItems, AreBetweenCommas) {
  using Items = std::vector<std::string_view>;
  EXPECT_EQ(list_items("8,2"), (Items{"8", "2"}));
  EXPECT_EQ(list_items("a,,"), (Items{"a", "", ""}));
  EXPECT_EQ(list_items(""), Items{""});
}

TEST(ShellWord, QuotesWhereNeeded) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("/a/b-c_1.et"), "/a/b-c_1.et");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

RC_GTEST_PROP(ShellWord, AShellReadsWhatWentIn, ()) {
  const std::string text = *hostile();
  const std::string word = shell_word(text);
  std::string back;
  bool quoted = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted && word[i] == '\\') {
      back += word[++i];
    } else {
      RC_ASSERT(quoted || std::string_view(" \t\n\"$`*?[]{}()<>|&;#~!=").find(word[i]) ==
                              std::string_view::npos);
      back += word[i];
    }
  }
  RC_ASSERT(!quoted);
  RC_ASSERT(back == text);
}

}  // namespace
}  // namespace orrery
