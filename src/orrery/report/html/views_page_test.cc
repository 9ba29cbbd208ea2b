// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/views_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

PageViews one_table() {
  PageViews views;
  views.title = "Views of </script>";
  views.facts = {{"recording", "rank0.json"}};
  views.views = {{"ranges",
                  "Annotations on the device",
                  {{"ranges", "2"}},
                  {{"ranges",
                    "annotations",
                    {{"annotation", "name", "as recorded"}, {"time", "total_ns", "sum"}},
                    {{"step", us(2)}, {"</script>", Value()}, {Value().shown("(none)"), us(1)}},
                    "There are none."}}}};
  return views;
}

TEST(HtmlViews, DataIsWhatThePageIsPromised) {
  const std::string text = views_data(one_table(), {});
  EXPECT_THAT(text, Not(HasSubstr("</")));
  const json all = json::parse(text);
  EXPECT_EQ(all["version"], html::kPageDataVersion);
  const json& view = all["views"]["views"][0];
  EXPECT_EQ(view["name"], "ranges");
  EXPECT_EQ(view["facts"], json::parse(R"([["ranges","2"]])"));
  const json& table = view["tables"][0];
  EXPECT_EQ(table["columns"][1], json::parse(R"({"title":"time","key":"total_ns","about":"sum"})"));
  EXPECT_EQ(table["rows"][0], json::parse(R"(["step",["2 us",2000]])"));
  EXPECT_TRUE(table["rows"][1][1].is_null());
  EXPECT_EQ(table["rows"][2][0], "(none)");
  EXPECT_EQ(table["ifEmpty"], "There are none.");
}

TEST(HtmlViews, FillsAPage) {
  const auto page = write_views_html(
      one_table(), {},
      "<html><head><title>Orrery report</title></head><body><div><!--orrery-static--></div>"
      "<script type=\"application/json\" id=\"orrery-data\"></script></body></html>");
  ASSERT_TRUE(page) << to_string(page.error());
  EXPECT_THAT(*page, HasSubstr("rank0.json"));
  EXPECT_FALSE(write_views_html(one_table(), {}, "<html></html>").has_value());
}

}  // namespace
}  // namespace orrery::report
