// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/space_page.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {
namespace {

using nlohmann::json;

constexpr std::string_view kHollowPage =
    "<html><head><title>Orrery report</title></head><body><div><!--orrery-static--></div>"
    "<script type=\"application/json\" id=\"orrery-data\"></script></body></html>";

/// Two axes; two points, of which one is simulated.
PageSpace two_points() {
  PageSpace space;
  space.title = "Few points";
  space.about = "What it is about.";
  space.facts = {{"space", "2 axes"}, {"looked at", "3 points"}};
  space.axes = {{"tp", {"1", "2"}, true}, {"gpu", {"a", "b"}, false}};
  space.currency = "USD";
  space.metrics = {{"step", "step", "how long", false, "step time"},
                   {"mfu", "MFU", "how well", true, ""}};
  space.objectives = {0};
  space.at = {{0, 1}, {1, 1}};
  space.values = {{1.0 / 3, 2}, {0.5, std::nan("")}};
  space.estimated = {ns(3), ns(4)};
  space.simulated = {Time{}, ns(5)};
  space.plans = {"tp 1", "tp 2"};
  space.plan = {0, 1};
  space.parts = {{{"compute", "computing", "of the step", true, "compute"}}, {1}, {{0.5}}};
  space.front = {1};
  space.best = 1;
  space.effects = {{0, 0.75, {{"1", "fits", false, true, 0.5}, {"2", "fits", true, true, 0}}}};
  space.competitors = {{0, "tp 2", 0.5, {"computing -40 %", "both with nic 400"}}};
  space.rejected = {{1, "too large"}};
  for (const char* job : {"tp: 1\npp: 1\n", "tp: 2\npp: 1\n"}) space.job.add(job);
  return space;
}

/// As web/src/pages/space/text_edits.ts does it.
std::vector<std::string> unpacked(const TextEdits& texts) {
  std::vector<std::string> made;
  std::vector<std::size_t> lines;
  std::stringstream all(texts.edits() + ";");
  for (std::string edit; std::getline(all, edit, ';');) {
    std::stringstream parts(edit.starts_with("=") ? edit.substr(1) : edit);
    if (edit.starts_with("=")) lines.clear();
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t colon = part.find(':');
      if (colon == std::string::npos)
        lines.push_back(std::stoul(part));
      else
        lines[std::stoul(part)] = std::stoul(part.substr(colon + 1));
    }
    std::string& text = made.emplace_back();
    for (const std::size_t line : lines) text += texts.lines()[line] + "\n";
  }
  return made;
}

TEST(TextEdits, AreWhatDiffersFromTheOneBefore) {
  TextEdits texts;
  for (const char* text : {"a\nb\nc\n", "a\nb\nc\n", "a\nd\nb\n", "a\n", "a\nb\n"}) texts.add(text);
  EXPECT_EQ(texts.lines(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(texts.edits(), "=0,1,2;;1:3,2:1;=0;=0,1");
}

TEST(TextEdits, ComeBack) {
  rc::check([](const std::vector<std::vector<std::uint8_t>>& wanted) {
    TextEdits texts;
    std::vector<std::string> all;
    for (const auto& lines : wanted) {
      std::string& text = all.emplace_back();
      for (const std::uint8_t line : lines) text += std::to_string(line % 5) + " x\n";
      texts.add(text);
    }
    if (!all.empty()) RC_ASSERT(unpacked(texts) == all);
  });
}

TEST(HtmlSpace, KeepsTheContract) {
  const json data = json::parse(space_data(two_points()));
  EXPECT_EQ(data["version"], html::kPageDataVersion);
  EXPECT_TRUE(data["runs"].empty());
  const json& one = data["space"];
  EXPECT_EQ(one["title"], "Few points");
  EXPECT_EQ(one["count"], 2);
  EXPECT_EQ(one["currency"], "USD");
  EXPECT_EQ(one["facts"], json::parse(R"([["space", "2 axes"], ["looked at", "3 points"]])"));
  EXPECT_EQ(one["axes"], json::parse(R"([
      {"name": "tp", "ordered": true, "labels": ["1", "2"], "at": [0, 1]},
      {"name": "gpu", "ordered": false, "labels": ["a", "b"], "at": [1, 1]}])"));
  EXPECT_EQ(one["figures"], json::parse(R"([
      {"name": "step", "title": "step", "about": "how long", "more": false, "long": "step time",
       "values": [0.3333333, 2]},
      {"name": "mfu", "title": "MFU", "about": "how well", "more": true, "values": [0.5, null]}])"));
  EXPECT_EQ(one["objectives"], json::parse("[0]"));
  EXPECT_EQ(one["estimated"], json::parse("[3000, 4000]"));
  EXPECT_EQ(one["simulated"], json::parse("[0, 5000]"));
  EXPECT_EQ(one["shares"], json::parse(R"({"point": [1], "parts": [{"name": "compute",
      "title": "computing", "about": "of the step", "more": true, "color": "compute",
      "values": [0.5]}]})"));
  EXPECT_EQ(one["plan"], json::parse("[0, 1]"));
  EXPECT_EQ(one["front"], json::parse("[1]"));
  EXPECT_EQ(one["best"], 1);
  EXPECT_EQ(one["effects"].at(0)["values"].at(0)["change"], 0.5);
  EXPECT_EQ(one["rivals"], json::parse(R"([{"point": 0, "with": "tp 2", "behind": 0.5,
      "needs": ["computing -40 %", "both with nic 400"]}])"));
  EXPECT_EQ(one["lost"], json::parse(R"([[1, "too large"]])"));
  EXPECT_EQ(one["job"], json::parse(R"({"lines": ["tp: 1", "pp: 1", "tp: 2"],
      "edits": "=0,1;0:2"})"));
}

TEST(HtmlSpace, StandsInThePage) {
  const std::string html = write_space_html(two_points(), kHollowPage).value();
  EXPECT_NE(html.find("<title>Few points · Orrery</title>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">1 not allowed</th><td>too large</td>"), std::string::npos);
  EXPECT_NE(html.find("id=\"orrery-data\">" + space_data(two_points()) + "</script>"),
            std::string::npos);
  const Result<std::string> none = write_space_html(two_points(), "<html></html>");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::config_missing_key);
}

// Whatever a name holds, the page's own elements are the only ones.
TEST(HtmlSpace, HostileNamesAreInert) {
  rc::check([](const std::string& bytes) {
    const std::string evil =
        "<!--<script></script>\xE2\x80\xA8<img src=x onerror=alert(1)>&\"'" + bytes;
    PageSpace space = two_points();
    space.title = space.about = space.axes[0].name = space.axes[0].labels[0] = evil;
    space.plans[0] = space.rejected[0].second = evil;
    space.facts[0] = {evil, evil};
    space.job.add(evil);
    const std::string html = write_space_html(space, kHollowPage).value();
    std::size_t tags = 0;
    for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos; ++at) ++tags;
    RC_ASSERT(tags == 1u);
    RC_ASSERT(html.find("<img") == std::string::npos);
    RC_ASSERT(json::accept(space_data(space)));
  });
}

}  // namespace
}  // namespace orrery::report
