// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "orrery/report/html/run_page.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using nlohmann::json;

TEST(HtmlData, TellsWhatOfAFabricWasDown) {
  result::Run run = result::testing::sample_run(2, 1);
  run.fabric = {{"leaf0", "leaf", result::kNone, result::kNone},
                {"spine0", "spine", result::kNone, result::kNone}};
  run.faults = {{0, 1, 2, 0.5, Time(7), std::nullopt, Time(9), Time(4)}};
  const json fabric = json::parse(run_page_data({&run}))["runs"].at(0)["fabric"];
  EXPECT_EQ(fabric["faults"],
            json::parse(R"([{"from":0,"to":1,"links":2,"bandwidth":0.5,"start":7,"end":null,)"
                        R"("every":9,"lasts":4}])"));
}

}  // namespace
}  // namespace orrery::report
