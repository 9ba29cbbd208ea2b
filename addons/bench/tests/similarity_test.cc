// SPDX-License-Identifier: Apache-2.0
//
// orrery bench run: recording compared with replay, by the complete program.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "orrery/core/paths_testing.h"

namespace orrery {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class Similar : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef ORRERY_BENCH_MODULE
    GTEST_SKIP() << "built without libtorch (./setup bench)";
#endif
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string ask(const std::string& arguments) {
    std::string text;
#ifdef ORRERY_PROGRAM
    FILE* const pipe = ::popen(
        (std::string(core_testing::kProgram) + " bench run " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return text;
    std::array<char, 4096> block;
    for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
      text.append(block.data(), got);
    code_ = WEXITSTATUS(::pclose(pipe));
#endif
    return text;
  }
  Json equivalent(const std::string& arguments) {
    const Json all = Json::parse(ask(arguments + " --json --quiet --iterations 2"), nullptr, false);
    return all.is_object() ? all["result"].value("similarity", Json::object()) : Json::object();
  }

  int code_ = -1;
  std::filesystem::path folder_ = [] {
    std::string pattern = "/tmp/orrery-similar-XXXXXX";
    return std::filesystem::path(::mkdtemp(pattern.data()));
  }();
};

const std::string kOwn =
    std::string(core_testing::kSourceFolder) + "/addons/bench/tests/recordings/";
const std::string kDemo =
    std::string(core_testing::kSourceFolder) + "/data/demo/ddp_transformer/rank0.";

class SimilarRecordings : public Similar, public ::testing::WithParamInterface<const char*> {};

// At either level the replay takes the recorded memory at its peak; inner operators are all there
// where those that work are called themselves.
TEST_P(SimilarRecordings, TakeTheRecordedMemoryAndOperators) {
  const std::string trace = kOwn + GetParam() + ".json.gz";
  const Json top = equivalent(trace), kernel = equivalent(trace + " --level kernel");
  for (const Json* one : {&top, &kernel}) {
    ASSERT_TRUE(one->contains("memory_comparison"));
    EXPECT_NEAR((*one)["memory_comparison"]["peak_change_ratio"].get<double>(), 0, 0.02);
    EXPECT_LT((*one)["mix_difference_share"].get<double>(), 0.02);
    EXPECT_TRUE((*one)["time_difference_share"].is_null()) << "an execution trace has no times";
  }
  EXPECT_EQ(top["memory_comparison"]["replayed_curve"]["peak_bytes"],
            kernel["memory_comparison"]["replayed_curve"]["peak_bytes"]);
  EXPECT_EQ(kernel["recorded_operators"], kernel["replayed_operators"]);
  EXPECT_EQ(kernel["mix_difference_share"], 0);
}
INSTANTIATE_TEST_SUITE_P(Own, SimilarRecordings,
                         ::testing::Values("cnn", "mlp", "transformer", "dlrm"));

TEST_F(Similar, TimesAndCommunicationAreBesideEachOther) {
  const Json both = equivalent(kDemo + "et.json.gz " + kDemo + "kineto.json.gz");
  EXPECT_GE(both["time_difference_share"].get<double>(), 0);
  EXPECT_LE(both["time_difference_share"].get<double>(), 1);
  double recorded = 0;
  for (const Json& kind : both["work_by_kind"])
    recorded += kind["recorded_work"]["time_ns"].get<double>();
  EXPECT_GT(recorded, 1e6);
  ASSERT_FALSE(both["communication_by_kind"].empty());
  EXPECT_EQ(both["communication_by_kind"][0]["kind"], "all_reduce");
  EXPECT_GT(both["communication_by_kind"][0]["bytes"], 1000);
}

TEST_F(Similar, IsToldAsTextAndAsAPage) {
  const std::string page = folder_ / "page.html", trace = kOwn + "mlp.json.gz";
  // The page's file is not there where the page is not built.
  const std::string empty = folder_ / "empty.html";
  std::ofstream(empty) << "<html><head><title>Orrery report</title></head><body><div>"
                          "<!--orrery-static--></div><script type=\"application/json\" "
                          "id=\"orrery-data\"></script></body></html>";
  const std::string with = " --html " + page + " --page " + empty;
  EXPECT_THAT(ask(trace + " --iterations 1 --similarity" + with), HasSubstr("products"));
  EXPECT_EQ(code_, 0);
  std::ifstream in(page);
  const std::string html{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(html, HasSubstr("Replay of"));
  const std::size_t begin = html.find("id=\"orrery-data\">") + 17;
  const Json data = Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
  EXPECT_EQ(data["replay"]["memory"]["recorded"].size(), 108u);
  EXPECT_EQ(data["replay"]["memory"]["replayed"].size(), 108u);
  (void)ask(trace + with);
  EXPECT_EQ(code_, 2) << "a file is in the way";
  (void)ask(trace + " --force --only-plan" + with);
  EXPECT_EQ(code_, 2) << "nothing is played";
}

}  // namespace
}  // namespace orrery
