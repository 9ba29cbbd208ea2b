// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/json/envelope.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "orrery/core/text/text.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report {
namespace {

TEST(JsonWriter, WritesNestedValues) {
  std::string text;
  JsonWriter writer(text);
  writer.begin_object().field("a", 1).field("b", "x\"\n\x01").field("c", true).field("d", 0.5);
  writer.key("e")
      .begin_array()
      .value(-7)
      .value(std::uint64_t{18446744073709551615u})
      .null()
      .end_array();
  writer.key("f").begin_object().end_object().nanoseconds("g", ps(1500)).end_object();
  const auto tree = nlohmann::json::parse(text);
  EXPECT_EQ(tree["a"], 1);
  EXPECT_EQ(tree["b"], "x\"\n\x01");
  EXPECT_EQ(tree["c"], true);
  EXPECT_EQ(tree["d"], 0.5);
  EXPECT_EQ(tree["e"], nlohmann::json::parse("[-7, 18446744073709551615, null]"));
  EXPECT_EQ(tree["f"], nlohmann::json::object());
  EXPECT_EQ(tree["g_ns"], 1.5);
}

TEST(JsonWriter, DeepContainersStayOnOneLine) {
  std::string text;
  JsonWriter writer(text, 1);
  writer.begin_object()
      .key("list")
      .begin_array()
      .value(1)
      .value(2)
      .end_array()
      .field("x", 3)
      .end_object();
  EXPECT_EQ(text, "{\n \"list\": [1, 2],\n \"x\": 3\n}");
}

TEST(JsonWriter, NotANumberIsNull) {
  std::string text;
  JsonWriter(text).value(0.0 / 0.0 * 0.0);
  EXPECT_EQ(text, "null");
}

TEST(JsonWriter, AnyBytesMakeValidJson) {
  rc::check([](const std::string& bytes) {
    std::string text;
    JsonWriter writer(text);
    writer.begin_object().field(bytes, bytes).end_object();
    RC_ASSERT(nlohmann::json::accept(text));
  });
}

TEST(JsonWriter, ValidUtf8ComesBackUnchanged) {
  const std::string word = "größe µs → \xF0\x9F\xAA\x90";
  std::string text;
  JsonWriter(text).value(word);
  EXPECT_EQ(nlohmann::json::parse(text), word);
}

TEST(JsonWriter, NanosecondsAreExact) {
  const auto text = [](Time time) {
    std::string made;
    JsonWriter(made).nanoseconds(time);
    return made;
  };
  EXPECT_EQ(text(ps(499)), "0.499");
  EXPECT_EQ(text(ps(-500)), "-0.5");
  EXPECT_EQ(text(ps(1030)), "1.03");
  EXPECT_EQ(text(ns(117'780)), "117780");
  EXPECT_EQ(text(kTimeMax), "9223372036854775.807");
  std::string made;
  JsonWriter(made).begin_object().nanoseconds("a", 1.2345678).end_object();
  EXPECT_EQ(nlohmann::json::parse(made)["a_ns"], 1.235);
}

TEST(Fit, CutsWithAnEllipsis) {
  EXPECT_EQ(fit("abcdef", 6), "abcdef");
  EXPECT_EQ(fit("abcdef", 4), "abc…");
  EXPECT_EQ(fit("µµµµ", 3), "µµ…");
  EXPECT_EQ(columns("\x1b[1mab\x1b[0m"), 2u);
}

TEST(Ranges, RunsAreJoined) {
  EXPECT_EQ(ranges(std::vector<std::uint32_t>{0, 1, 2, 3, 7}), "0-3,7");
  EXPECT_EQ(ranges(std::vector<std::uint32_t>{}), "");
  EXPECT_EQ(ranges(std::vector<std::uint32_t>{0, 2, 4, 6}, 2), "0,2,…");
}

TEST(Percent, ExtremesOnlyWhenExact) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(1), "100 %");
  EXPECT_EQ(percent(0.00001), "<0.1 %");
  EXPECT_EQ(percent(0.99999), "99.9 %");
  EXPECT_EQ(percent(0.6123), "61.2 %");
}

TEST(SheetTest, WrapsAtSpacesAndIndents) {
  Sheet sheet(Style{}, 4, 20);
  sheet.add("a", "one two three four five");
  sheet.add("b", "aWordThatIsFarTooLongForTheLine x");
  EXPECT_EQ(sheet.text(),
            "a    one two three\n     four five\nb    aWordThatIsFarTooLongForTheLine\n     x\n");
}

TEST(SheetTest, NoLineIsWiderThanThePage) {
  rc::check([](const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += printable(word).substr(0, 10) + ' ';
    Sheet sheet(Style{true}, 10, 40);
    sheet.add("label", printable(text));
    std::string_view rest = sheet.text();
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      RC_ASSERT(columns(rest.substr(0, end)) <= 40u);
      rest.remove_prefix(end + 1);
    }
  });
}

TEST(TableTest, AlignsAndFits) {
  Table table({{"name"}, {"bytes", true}});
  table.row({"all_reduce", "1 MiB"});
  table.row({"x", "1,024 MiB"});
  EXPECT_EQ(table.text(Style{}),
            "name            bytes\nall_reduce      1 MiB\nx           1,024 MiB\n");
  table.row({std::string(200, 'n'), "1"});
  const std::string text = table.text(Style{}, 2);
  EXPECT_NE(text.find("…"), std::string::npos);
  EXPECT_LE(columns(text.substr(0, text.find('\n'))), kWidth);
}

TEST(TableTest, GivesBytesOfAColumnOneUnit) {
  Table table({{"sent", true}, {"memory", true}, {"other", true}});
  table.row({"104.7 GB", "50 MiB", "1 GB"});
  table.row({"24.77 MB", "14 GB", "none"});
  table.row({"-", "2 GB", "2 MB"});
  table.row({"3 B", "1 kB", "1 kB"});
  EXPECT_EQ(table.text(Style{}),
            "      sent  memory  other\n"
            "  104.7 GB  50 MiB   1 GB\n"
            " 0.0248 GB   14 GB   none\n"
            "         -    2 GB   2 MB\n"
            "<0.0001 GB    1 kB   1 kB\n")
      << "columns with other texts stay as they are";
}

TEST(Envelope, HasVersionCommandResultAndFindings) {
  Findings findings;
  findings.add(FindingCode::legacy_schema, "w.0.et");
  std::string text;
  JsonWriter writer(text);
  begin_envelope(writer, "run");
  writer.begin_object().field("step_ns", 5).end_object();
  end_envelope(writer, findings);
  const auto tree = nlohmann::json::parse(text);
  EXPECT_EQ(tree["orrery"], 3);
  EXPECT_EQ(tree["command"], "run");
  EXPECT_EQ(tree["result"]["step_ns"], 5);
  EXPECT_EQ(tree["findings"][0]["code"], "legacy_schema");
  EXPECT_EQ(tree["findings"][0]["count"], 1);
  EXPECT_EQ(tree["findings"][0]["places"][0], "w.0.et");
}

TEST(Envelope, ErrorsCarryCodeAndPlace) {
  const auto tree = nlohmann::json::parse(error_envelope(
      "run", {Errc::input_truncated, "w.0.et:byte 7", "the file ends", "try --repair"}, {}));
  EXPECT_EQ(tree["error"]["code"], "E2002");
  EXPECT_EQ(tree["error"]["name"], "input_truncated");
  EXPECT_EQ(tree["error"]["where"], "w.0.et:byte 7");
  EXPECT_FALSE(tree.contains("result"));
}

TEST(FindingLines, SayCountSentenceAndPlace) {
  Findings findings;
  for (int i = 0; i < 5; ++i)
    findings.add(FindingCode::self_edge_dropped, "a\x1b" + std::to_string(i));
  Sheet sheet(Style{}, 10, 400);
  add_findings(sheet, findings, Style{});
  EXPECT_EQ(sheet.text(), "finding    self_edge_dropped ×5: " +
                              std::string(describe(FindingCode::self_edge_dropped).sentence) +
                              " (first: a?0)\n");
}

}  // namespace
}  // namespace orrery::report
