// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/json_document.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/trace/io/json_document_testing.h"

namespace orrery::trace::json {
namespace {

using testing::Elements;
using testing::read_elements;
using Ids = std::vector<std::int64_t>;

/// `count` elements as PyTorch's profiler writes them.
std::string numbered_events(int count, int first = 0) {
  std::string out;
  for (int i = first; i < first + count; ++i) {
    out +=
        (i > first ? ",\n  {\n    \"ph\": \"X\", \"id\": " : "  {\n    \"ph\": \"X\", \"id\": ") +
        std::to_string(i) +
        ", \"name\": \"void k<{lambda(int)#1}>(int*, [2])\\\"\\\\\",\n    \"args\": {\n      "
        "\"dims\": [[1, 2], []], \"grid\": [1, 1, 1], \"ranks\": \"[0, 1]\"\n    }\n  }";
  }
  return out;
}

std::string trace(const std::string& elements) {
  return "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n" + elements +
         "\n  ],\n  \"traceName\": \"a ] { \\\" b\",\n  \"base\": 5\n}\n";
}

Ids range(std::int64_t end) {
  Ids out;
  for (std::int64_t i = 0; i < end; ++i) out.push_back(i);
  return out;
}

TEST(Document, WalksItsMembers) {
  Findings findings;
  testing::PieceSource source(
      R"({"a": 1.5 , "b\"c": "x]}" ,"d":[1,[2]], "e": {"f": [{}]},"g":null})", 7);
  Document document(source, "t.json", findings);
  std::vector<std::pair<std::string, std::string>> met;
  for (;;) {
    const auto more = document.next();
    ASSERT_TRUE(more);
    if (!*more) break;
    EXPECT_EQ(document.is_array(), document.key() == "d");
    const auto value = document.value();
    ASSERT_TRUE(value);
    met.emplace_back(document.key(), *value);
  }
  EXPECT_EQ(met, (std::vector<std::pair<std::string, std::string>>{{"a", "1.5"},
                                                                   {"b\\\"c", "\"x]}\""},
                                                                   {"d", "[1,[2]]"},
                                                                   {"e", "{\"f\": [{}]}"},
                                                                   {"g", "null"}}));
  EXPECT_TRUE(findings.empty());
}

TEST(Document, SkipsMembersNobodyAsksFor) {
  const Elements out = read_elements(R"({"big": {"x": [[[{}]]]}, "s": "}", "n": 3})");
  EXPECT_EQ(out.keys, (std::vector<std::string>{"big", "s", "n"}));
}

TEST(Document, HandsOverElements) {
  const Elements out = read_elements(trace(numbered_events(5)));
  EXPECT_EQ(out.ids, range(5));
  EXPECT_EQ(out.met, 5u);
  EXPECT_TRUE(out.findings.empty());
  EXPECT_EQ(out.keys.size(), 4u);
}

TEST(Document, TakesABareArray) {
  const Elements out = read_elements("\xEF\xBB\xBF[" + numbered_events(3) + "]\n");
  EXPECT_EQ(out.ids, range(3));
  EXPECT_EQ(out.keys, std::vector<std::string>{""});
  EXPECT_TRUE(out.findings.empty());
}

TEST(Document, EmptyArraysAndObjects) {
  EXPECT_EQ(read_elements("{}").keys.size(), 0u);
  EXPECT_EQ(read_elements("[]").met, 0u);
  EXPECT_TRUE(read_elements("[ \n ]").findings.empty());
  EXPECT_EQ(read_elements("[{}]").ids, Ids{-1});
}

TEST(Document, RefusesWhatIsNoJson) {
  for (const char* text : {"", "   ", "hello", "\"text\"", "\x1f\x8b", "12"}) {
    const Elements out = read_elements(text);
    ASSERT_TRUE(out.error) << text;
    EXPECT_EQ(out.error->code, Errc::input_corrupt);
    EXPECT_EQ(out.error->where.rfind("t.json:byte ", 0), 0u);
  }
}

TEST(Document, KeepsWhatIsWholeOfATruncatedFile) {
  const std::string text = trace(numbered_events(20));
  for (std::size_t size = text.find('['); size + 2 < text.size(); size += 13) {
    const Elements out = read_elements(text.substr(0, size));
    EXPECT_FALSE(out.error);
    EXPECT_EQ(out.ids, range(static_cast<std::int64_t>(out.ids.size())));
    EXPECT_EQ(out.findings.count(FindingCode::truncated_tail_dropped), 1u) << size;
  }
}

TEST(Document, ABrokenOffArchiveIsATruncatedFile) {
  const std::string text = trace(numbered_events(20));
  const Error cut{Errc::input_truncated, "t.json.gz", "the compressed data is truncated"};
  const Elements out = read_elements(std::string_view(text).substr(0, text.size() / 2), 100, cut);
  EXPECT_FALSE(out.error);
  EXPECT_GT(out.ids.size(), 5u);
  EXPECT_EQ(out.findings.count(FindingCode::truncated_tail_dropped), 1u);
  const Elements failed = read_elements(std::string_view(text).substr(0, text.size() / 2), 100,
                                        Error{Errc::input_read, "t.json", "disk"});
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->code, Errc::input_read);
}

/// Files like those of pytorch issue 130622: bytes below 32 and half characters in names.
TEST(Document, MendsStrings) {
  const std::string bad =
      "{\"id\": 0, \"name\": \"a\x01\n\tb\"},\n{\"id\": 1, \"name\": \"\xff\xc3\"},"
      "\n{\"id\": 2, \"name\": \"c:\\qd\"},\n{\"id\": 3}";
  const Elements out = read_elements("[" + bad + "]");
  EXPECT_EQ(out.ids, range(4));
  EXPECT_EQ(out.findings.count(FindingCode::json_repaired), 3u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 0u);
}

TEST(Document, MendsWordsOfPython) {
  const Elements out = read_elements(
      R"([{"x": NaN, "id": 0}, {"id": 1, "y": -Infinity,}, {"z": [None,], "id": 2}])");
  EXPECT_EQ(out.ids, range(3));
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 0u);
}

TEST(Document, OverlooksCommas) {
  EXPECT_EQ(read_elements(R"([{"id": 0} {"id": 1}{"id": 2}])").ids, range(3));
  const Elements out = read_elements(R"([{"id": 0} {"id": 1},, {"id": 2},])");
  EXPECT_EQ(out.ids, range(3));
  EXPECT_EQ(out.findings.count(FindingCode::json_repaired), 3u);
}

TEST(Document, CountsElementsThatAreNoObjects) {
  const Elements out = read_elements(R"([1, {"id": 0}, "two", [3], {"id": 1}, null, true])");
  EXPECT_EQ(out.ids, range(2));
  EXPECT_EQ(out.met, 7u);
  EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 5u);
  const Finding finding = out.findings.list().front();
  EXPECT_EQ(finding.places.front(), "t.json:byte 1");
}

TEST(Document, DropsElementsThatAreTooDeep) {
  const auto nested = [](int depth) {
    return "{\"id\": 0, \"a\": " + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  const std::string other = ", {\"id\": 1}]";
  EXPECT_EQ(read_elements("[" + nested(limits::kJsonDepth - 1) + other).ids, range(2));
  for (const int depth : {limits::kJsonDepth, 5000, 200'000}) {
    const Elements out = read_elements("[" + nested(depth) + other);
    EXPECT_EQ(out.ids, Ids{1});
    EXPECT_EQ(out.findings.count(FindingCode::corrupt_record_dropped), 1u);
  }
}

TEST(Document, RefusesEndlessElements) {
  const std::string huge(limits::kJsonElementBytes + Window::kBlock, 'x');
  const Elements element = read_elements("[{\"id\": 0}, {\"a\": \"" + huge);
  ASSERT_TRUE(element.error);
  EXPECT_EQ(element.error->code, Errc::limit_exceeded);
  EXPECT_EQ(element.ids, Ids{0});

  Findings findings;
  const std::string text = "{\"a\": \"" + huge + "\"}";
  testing::PieceSource source(text, 1u << 20);
  Document document(source, "t.json", findings);
  ASSERT_TRUE(*document.next());
  const auto value = document.value();
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Errc::limit_exceeded);
}

TEST(Document, FindsJunkBetweenMembers) {
  EXPECT_EQ(read_elements(R"({"a": 1 "b": 2})").keys.size(), 2u);
  EXPECT_EQ(read_elements(R"({"a": 1 "b": 2})").findings.count(FindingCode::json_repaired), 1u);
  EXPECT_EQ(
      read_elements(R"({"a": 1} {"b": 2})").findings.count(FindingCode::corrupt_record_dropped),
      1u);
  EXPECT_EQ(read_elements(R"({"a": 1, x})").findings.count(FindingCode::corrupt_record_dropped),
            1u);
}

/// Larger than several blocks, however the source hands it out.
TEST(Document, BlocksMakeNoDifference) {
  const std::string text = trace(numbered_events(20'000));
  ASSERT_GT(text.size(), 3 * Window::kBlock);
  for (const std::size_t piece : {std::size_t{4099}, std::size_t{1} << 20, text.size()}) {
    const Elements out = read_elements(text, piece);
    EXPECT_EQ(out.ids, range(20'000));
    EXPECT_TRUE(out.findings.empty());
  }
}

RC_GTEST_PROP(Document, SurvivesAnyBytes, (const std::vector<char>& bytes)) {
  const std::string junk(bytes.begin(), bytes.end());
  (void)read_elements(junk);
  const Elements out = read_elements("[{\"id\": 0}, " + junk);
  RC_ASSERT(out.has(0));
}

}  // namespace
}  // namespace orrery::trace::json
