// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "orrery/report/html/run_page.h"
#include "orrery/result/small_run_testing.h"

namespace orrery::report {
namespace {

using nlohmann::json;
using result::testing::sample_run;
using ::testing::HasSubstr;

TEST(HtmlBands, SaysHowFarOffAStepMayBe) {
  result::Run a = sample_run(4, 2);
  EXPECT_TRUE(json::parse(run_page_data({&a}))["runs"].at(0)["band"].is_null());
  a.error_classes = {{"learned gemm bf16", a.step - us(1), result::ErrorInterval{us(-2), us(3)}},
                     {"network, messages", us(1), {}}};
  a.predicted = {{"all_reduce", Bytes(4096), 4, 1, us(6), "measured", "ring, ll",
                  result::ErrorInterval{us(-1), us(1)}}};
  a.collectives.front().predicted = 0;
  const json one = json::parse(run_page_data({&a}))["runs"].at(0);
  EXPECT_EQ(one["band"]["least"], (a.step - us(2)).count());
  // 3 us up, and 1 us that may last 402 % longer.
  EXPECT_NEAR(one["band"]["most"].get<double>(),
              static_cast<double>(a.step.count()) + std::hypot(3e6, 4.02e6), 2);
  EXPECT_THAT(one["band"]["unknown"].get<std::string>(), HasSubstr("(mainly network, messages)"));
  EXPECT_EQ(one["noInterval"], "");
  EXPECT_EQ(one["errorClasses"].at(0)["least"], us(-2).count());
  EXPECT_TRUE(one["errorClasses"].at(1)["most"].is_null());
  EXPECT_EQ(one["predicted"].at(0)["algorithm"], "ring, ll");
  EXPECT_EQ(one["collectives"]["predicted"].at(0), 0);
  EXPECT_TRUE(one["collectives"]["predicted"].at(1).is_null());
  const auto has_interval = [](const json& line) { return line.at(0) == "Interval"; };
  EXPECT_TRUE(std::any_of(one["summary"].begin(), one["summary"].end(), has_interval));
  const result::Run b = sample_run(4, 3);
  const json both = json::parse(run_page_data({&a, &b}));
  EXPECT_FALSE(both["comparison"]["band"]["within"]);
  EXPECT_EQ(both["comparison"]["noInterval"], "");
}

TEST(HtmlBands, SaysWhyThereIsNone) {
  result::Run a = sample_run(4, 2), b = sample_run(4, 3);
  a.error_classes = {{"roofline", a.step, {}}};
  b.error_classes = {{"roofline", b.step, {}}};
  const json both = json::parse(run_page_data({&a, &b}));
  EXPECT_TRUE(both["runs"].at(0)["band"].is_null());
  EXPECT_EQ(both["runs"].at(0)["noInterval"],
            "100 % of the critical path (mainly roofline) has no known error; an interval needs 80 "
            "% with one");
  EXPECT_TRUE(both["comparison"]["band"].is_null());
  EXPECT_EQ(both["comparison"]["noInterval"],
            "100 % of what differs (mainly roofline) has no known error; an interval needs 80 % "
            "with one");
}

}  // namespace
}  // namespace orrery::report
