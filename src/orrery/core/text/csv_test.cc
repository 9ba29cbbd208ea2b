// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/text/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace orrery {
namespace {

using ::testing::ElementsAre;

/// The cells of a row that can be split.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  EXPECT_TRUE(split_csv_row(row, cells, retained)) << row;
  return {cells.begin(), cells.end()};
}

bool splits(std::string_view row) {
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  return split_csv_row(row, cells, retained);
}

TEST(Csv, CutsRowsAtCommas) {
  EXPECT_THAT(cells_of("a,b,c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(cells_of(" a b ,\tc\r"), ElementsAre("a b", "c"));
  EXPECT_THAT(cells_of(",a,,"), ElementsAre("", "a", "", ""));
  EXPECT_THAT(cells_of(""), ElementsAre(""));
}

TEST(Csv, QuotesKeepCommasAndQuotes) {
  EXPECT_THAT(cells_of("x,\"a,b\",3"), ElementsAre("x", "a,b", "3"));
  EXPECT_THAT(cells_of("\"say \"\"no\"\"\" , \" y \""), ElementsAre("say \"no\"", "y"));
  EXPECT_THAT(cells_of("\"\",\"\"\"\""), ElementsAre("", "\""));
  EXPECT_THAT(cells_of("a\"b"), ElementsAre("a\"b")) << "quotes stand in front, or are none";
}

TEST(Csv, QuotesHaveToCloseACell) {
  EXPECT_FALSE(splits("\"a"));
  EXPECT_FALSE(splits("a,\"b\"\""));
  EXPECT_FALSE(splits("\"a\" b,c"));
}

TEST(Csv, CellsAreInQuotesWhereTheyHaveToBe) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell(""), "");
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_cell("a\rb"), "\"a\rb\"");
}

RC_GTEST_PROP(Csv, WhatIsWrittenIsRead, (const std::vector<std::string>& any)) {
  RC_PRE(!any.empty());
  std::vector<std::string> cells;
  std::string row;
  for (const std::string& text : any) {
    cells.emplace_back(trim_cell(text));
    row += (cells.size() == 1 ? "" : ",") + csv_cell(cells.back());
  }
  RC_ASSERT(cells_of(row) == cells);
}

TEST(Csv, LinesAreTrimmedAndCounted) {
  TrimmedLineReader lines("\xEF\xBB\xBF first \r\n\n\tthird", "file");
  std::string_view line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "first");
  EXPECT_EQ(lines.place(), "file:1");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "");
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "third");
  EXPECT_EQ(lines.number(), 3u);
  EXPECT_FALSE(lines.next(line));
}

}  // namespace
}  // namespace orrery
