// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/schedule_page.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {
namespace {

using nlohmann::json;

constexpr std::string_view kEmptyPage =
    "<html><head><title>Orrery report</title></head><body><div><!--orrery-static--></div>"
    "<script type=\"application/json\" id=\"orrery-data\"></script></body></html>";

/// Two pieces over a -> b -> c; the second waits for the first.
PageSchedule two_sends() {
  PageSchedule schedule;
  schedule.title = "broadcast of 2 kB";
  schedule.facts = {{"time", "30 ns"}, {"how", "by hand"}};
  schedule.notes = {"A note."};
  schedule.time = ns(30);
  schedule.bound = ns(25);
  schedule.cut = "what enters c";
  schedule.nodes = {"a", "b", "c"};
  schedule.groups = {{"broadcast", "ranks 0-2"}};
  schedule.links = {{"a -> b", 0, 1, 1e9, 2000, false}, {"b -> c", 1, 2, 1e9, 1000, true}};
  schedule.pieces = {{0, 0, kNotShown, 0, 0, 1000}, {0, 0, 2, kNotShown, 1000, 1000}};
  schedule.routes = {{0, 1, 1'000'000'000, ns(5), {{0, Time{}}}},
                     {0, 2, 500'000'000, ns(7), {{0, Time{}}, {1, ns(5)}}}};
  schedule.sends = {{0, 0, false, ns(1), ns(10), Time{}, kNotShown},
                    {0, 1, false, ns(16), ns(10), ns(16), 0},
                    {1, 1, true, ns(20), ns(10), ns(12), kNotShown}};
  schedule.links_left_out = 4;
  schedule.sends_left_out = 9;
  return schedule;
}

TEST(HtmlSchedule, KeepsTheContract) {
  Findings findings;
  findings.add(FindingCode::key_ignored, "here");
  const json data = json::parse(schedule_data(two_sends(), findings));
  EXPECT_EQ(data["version"], html::kPageDataVersion);
  EXPECT_TRUE(data["runs"].empty());
  EXPECT_TRUE(data["comparison"].is_null());
  const json& one = data["schedule"];
  EXPECT_EQ(one["title"], "broadcast of 2 kB");
  EXPECT_EQ(one["facts"], json::parse(R"([["time", "30 ns"], ["how", "by hand"]])"));
  EXPECT_EQ(one["notes"], json::parse(R"(["A note."])"));
  EXPECT_EQ(one["time"], 30'000);
  EXPECT_EQ(one["bound"], 25'000);
  EXPECT_EQ(one["cut"], "what enters c");
  EXPECT_EQ(one["nodes"], json::parse(R"(["a", "b", "c"])"));
  EXPECT_EQ(one["groups"], json::parse(R"([["broadcast", "ranks 0-2"]])"));
  EXPECT_EQ(one["links"], json::parse(R"({"name": ["a -> b", "b -> c"], "from": [0, 1],
      "to": [1, 2], "capacity": [1e9, 1e9], "bytes": [2000, 1000], "binds": [false, true]})"));
  EXPECT_EQ(one["ways"], json::parse(R"({"from": [0, 0], "to": [1, 2],
      "rate": [1000000000, 500000000], "latency": [5000, 7000],
      "links": [[[0, 0]], [[0, 0], [1, 5000]]]})"));
  EXPECT_EQ(one["pieceCount"], 2);
  EXPECT_EQ(one["pieces"], ",;1,1;,3;1,;,1000;1000,1000");
  EXPECT_EQ(one["sendCount"], 3);
  EXPECT_EQ(one["sends"], "1000,15000,4000;10000,10000,10000;,,1;,1,1;,,1;1000,,8000;,1,");
  EXPECT_EQ(one["linksLeftOut"], 4);
  EXPECT_EQ(one["sendsLeftOut"], 9);
  EXPECT_EQ(one["findings"].at(0)["name"], "key_ignored");
}

TEST(HtmlSchedule, StandsInThePage) {
  const std::string html = write_schedule_html(two_sends(), {}, kEmptyPage).value();
  EXPECT_NE(html.find("<title>broadcast of 2 kB · Orrery</title>"), std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">how</th><td>by hand</td>"), std::string::npos);
  EXPECT_NE(html.find("id=\"orrery-data\">" + schedule_data(two_sends(), {}) + "</script>"),
            std::string::npos);
  const Result<std::string> none = write_schedule_html(two_sends(), {}, "<html></html>");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::config_missing_key);
}

// Whatever a name holds, the page's own elements are the only ones.
TEST(HtmlSchedule, HostileNamesAreInert) {
  rc::check([](const std::string& bytes) {
    const std::string evil =
        "<!--<script></script>\xE2\x80\xA8<img src=x onerror=alert(1)>&\"'" + bytes;
    PageSchedule schedule = two_sends();
    schedule.title = schedule.cut = schedule.nodes[1] = schedule.links[0].name = evil;
    schedule.facts[0] = {evil, evil};
    schedule.notes = {evil};
    schedule.groups[0] = {evil, evil};
    Findings findings;
    findings.add(FindingCode::key_ignored, evil);
    const std::string html = write_schedule_html(schedule, findings, kEmptyPage).value();
    std::size_t tags = 0;
    for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos; ++at) ++tags;
    RC_ASSERT(tags == 1u);
    RC_ASSERT(html.find("<img") == std::string::npos);
    RC_ASSERT(html.find("<!--") == std::string::npos);
    RC_ASSERT(json::accept(schedule_data(schedule, findings)));
  });
}

}  // namespace
}  // namespace orrery::report
