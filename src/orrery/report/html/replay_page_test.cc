// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/replay_page.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPageOfAReplay =
    "<html><head><title>Orrery report</title></head><body><div><!--orrery-static--></div>"
    "<script type=\"application/json\" id=\"orrery-data\"></script></body></html>";

PageReplay one_operator() {
  PageReplay replay;
  replay.title = "Replay of </script>";
  replay.facts = {{"operators", "1"}};
  replay.timed = true;
  replay.kinds = {{"products", "products", "", {1, 10, 5, 7}, {1, 20, 2.5, 3.5}, 2}};
  replay.operators = {{std::string(1000, 'n'), "products", "foreach", {1, 10, 5, 7}, {}, 2}};
  replay.operator_counts = {{"aten::mm", 3, 2}};
  replay.rules = {{"foreach", "each tensor", 1, 10}};
  replay.comms = {{"all_reduce", 2, 0, 4096, 30, 0}};
  replay.recorded_memory = {1, 2};
  replay.replayed_memory = {3, 4};
  return replay;
}

TEST(HtmlReplay, DataIsWhatThePageIsPromised) {
  const json all = json::parse(replay_data(one_operator(), {}));
  EXPECT_EQ(all["version"], html::kPageDataVersion);
  EXPECT_TRUE(all["runs"].empty());
  const json& data = all["replay"];
  EXPECT_EQ(data["facts"], json::parse(R"([["operators", "1"]])"));
  EXPECT_EQ(data["timed"], true);
  EXPECT_EQ(data["onDevice"], false);
  EXPECT_EQ(data["kinds"][0],
            json::parse(R"({"name": "products", "kind": "products", "rule": "", "kernels": 2,
              "recorded": {"count": 1, "ns": 10, "flops": 5.0, "bytes": 7.0},
              "replayed": {"count": 1, "ns": 20, "flops": 2.5, "bytes": 3.5}})"));
  EXPECT_LT(data["operators"][0]["name"].get<std::string>().size(), 300u) << "long names are cut";
  EXPECT_EQ(data["ran"], json::parse(R"([{"name": "aten::mm", "recorded": 3, "replayed": 2}])"));
  EXPECT_EQ(data["rules"][0]["ns"], 10);
  EXPECT_EQ(data["comms"][0],
            json::parse(R"({"kind": "all_reduce", "bytes": 4096, "recorded": 2, "recordedNs": 30,
              "replayed": 0, "replayedNs": 0})"));
  EXPECT_EQ(data["memory"], json::parse(R"({"recorded": [1, 2], "replayed": [3, 4],
              "profiled": false})"));
  EXPECT_TRUE(data["findings"].empty());
}

TEST(HtmlReplay, NamesCannotEndTheScript) {
  const auto page = write_replay_html(one_operator(), {}, kPageOfAReplay);
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, Not(HasSubstr("Replay of </script>")));
  EXPECT_THAT(*page, HasSubstr("<td>1</td>")) << "figures without JavaScript";
}

TEST(HtmlReplay, AnotherPageIsRefused) {
  const auto page = write_replay_html(one_operator(), {}, "<html></html>");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, Errc::config_missing_key);
}

}  // namespace
}  // namespace orrery::report
