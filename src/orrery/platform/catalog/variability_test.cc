// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/variability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "orrery/core/paths_testing.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

std::string variability_error(std::string_view text) {
  const auto read = parse_variability(text, "fleet.yaml");
  return read ? "" : to_string(read.error());
}

TEST(Variability, PresetsCanBeReadAndNameTheirSources) {
  const auto fine = check_variabilities();
  EXPECT_TRUE(fine) << to_string(fine.error());
  for (const Variability& each : variabilities()) {
    EXPECT_FALSE(each.source.empty()) << each.name;
    EXPECT_FALSE(each.assumed.empty()) << each.name;
    EXPECT_EQ(read_variability(each.name)->source, each.source);
  }
}

TEST(Variability, ReadsAFile) {
  const auto read = parse_variability(
      "{speed: {distribution: uniform, least: 0.9, most: 1.1}, stalls: {rate: 0.001, mean: 200 "
      "ms}, "
      "network: {distribution: lognormal, sigma: 0.1}}",
      "fleet.yaml");
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->speed.distribution, DistributionKind::uniform);
  EXPECT_EQ(read->stalls.mean, Time(200'000'000'000));
  EXPECT_EQ(read->network.sigma, 0.1);
  EXPECT_EQ(read->jitter.distribution, DistributionKind::none);
}

TEST(Variability, SaysWhatIsWrong) {
  EXPECT_THAT(variability_error("{sped: {}}"), HasSubstr("speed"));
  EXPECT_THAT(variability_error("{speed: {distribution: lognormal, sigma: -1}}"),
              HasSubstr("fleet.yaml:/speed/sigma"));
  EXPECT_THAT(variability_error("{speed: {distribution: uniform, least: 2, most: 1}}"),
              HasSubstr("fleet.yaml:/speed"));
  EXPECT_THAT(variability_error("{jitter: {sigma: 0.1}}"),
              HasSubstr("has values, but no distribution"));
  EXPECT_THAT(variability_error("{stalls: {rate: 2, mean: 1 s}}"), HasSubstr("/stalls/rate"));
  const auto none = read_variability("gem-14");
  ASSERT_FALSE(none);
  EXPECT_THAT(to_string(none.error()), HasSubstr("gemm-14"));
}

TEST(Variability, SchemaAndPageComeFromTheTables) {
  const auto schema = nlohmann::json::parse(variability_schema());
  EXPECT_EQ(schema["properties"]["speed"]["properties"]["sigma"]["maximum"], 1);
  const std::string path =
      std::string(core_testing::kSourceFolder) + "/docs/reference/variability.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << variability_reference();
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), variability_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::platform
