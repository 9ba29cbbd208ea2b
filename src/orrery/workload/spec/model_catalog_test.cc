// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/model_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "orrery/core/paths_testing.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {
namespace {

/// A figure as people print it: `digits` steps of `step`; "6.05B" is 605 steps of ten million.
struct Printed {
  std::int64_t digits = 0;
  std::int64_t step = 1;

  /// Whether `count`, rounded to the last printed digit, is this.
  [[nodiscard]] bool is(std::int64_t count) const {
    return 2 * std::abs(count - digits * step) <= step;
  }
};

Printed parse_printed(std::string_view text) {
  Printed printed;
  std::int64_t decimals = 1;
  bool behind_point = false;
  std::size_t at = 0;
  for (; at < text.size() && (std::isdigit(text[at]) != 0 || text[at] == ',' || text[at] == '.');
       ++at) {
    if (text[at] == '.') behind_point = true;
    if (std::isdigit(text[at]) == 0) continue;
    printed.digits = 10 * printed.digits + (text[at] - '0');
    if (behind_point) decimals *= 10;
  }
  const std::string_view unit = text.substr(at);
  if (unit == "M") printed.step = 1'000'000;
  if (unit == "B") printed.step = 1'000'000'000;
  if (unit == "T") printed.step = 1'000'000'000'000;
  if (unit == " GiB of fp32") printed.step = (std::int64_t{1} << 30) / 4;
  EXPECT_TRUE(unit.empty() || printed.step > 1) << text;
  EXPECT_EQ(printed.step % decimals, 0) << text;
  printed.step /= decimals;
  return printed;
}

TEST(Printed, IsReadToItsLastDigit) {
  EXPECT_TRUE(parse_printed("8.03B").is(8'030'261'248));
  EXPECT_FALSE(parse_printed("8.03B").is(8'035'000'001));
  EXPECT_FALSE(parse_printed("8.03B").is(8'024'999'999));
  EXPECT_TRUE(parse_printed("8,030,261,248").is(8'030'261'248));
  EXPECT_FALSE(parse_printed("8,030,261,248").is(8'030'261'249));
  EXPECT_TRUE(parse_printed("1008.0B").is(1'008'038'758'400));
  EXPECT_FALSE(parse_printed("1008.0B").is(1'008'050'000'001));
}

/// The count from the shape is what the authors print, for every model.
TEST(Models, HaveThePublishedNumberOfWeights) {
  for (const ModelEntry& entry : models()) {
    const ParameterCount count = count_parameters(entry.model);
    const std::int64_t ours = count_in_scope(count, count.total, entry.counted);
    EXPECT_TRUE(parse_printed(entry.published).is(ours))
        << entry.name << ": " << ours << ", published " << entry.published;
    if (!entry.active.empty()) {
      const std::int64_t active = count_in_scope(count, count.active, entry.active_counted);
      EXPECT_TRUE(parse_printed(entry.active).is(active))
          << entry.name << ": " << active << " per token, published " << entry.active;
    }
  }
}

TEST(Models, CanBeReadAndNameTheirSources) {
  const Result<void> fine = check_models();
  EXPECT_TRUE(fine) << to_string(fine.error());
  for (const ModelEntry& entry : models()) {
    EXPECT_FALSE(entry.source.empty()) << entry.name;
    EXPECT_FALSE(entry.count_source.empty()) << entry.name;
  }
}

TEST(Models, AreFoundByName) {
  std::set<std::string_view> names;
  for (const ModelEntry& entry : models()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_model(entry.name), &entry);
    EXPECT_FALSE(entry.title.empty()) << entry.name;
    EXPECT_TRUE(parse_spec("model: " + std::string(entry.name), "x")) << entry.name;
    const bool counts_something_else =
        entry.counted != CountScope::all || entry.active_counted != CountScope::all;
    EXPECT_TRUE(!counts_something_else || !entry.note.empty()) << entry.name;
  }
  EXPECT_GE(names.size(), 40u);
  EXPECT_TRUE(
      std::is_sorted(models().begin(), models().end(),
                     [](const ModelEntry& a, const ModelEntry& b) { return a.name < b.name; }));
  EXPECT_EQ(find_model("llama-3.1-71b"), nullptr);
  EXPECT_EQ(find_model(""), nullptr);
}

/// Weights of matrix products: what FLOPs are counted from. By hand for GPT-3 and Mixtral.
TEST(Models, KnowTheWeightsOfTheirProducts) {
  const ParameterCount gpt3 = count_parameters(find_model("gpt3-175b")->model);
  EXPECT_EQ(gpt3.matmul, 12ll * 96 * 12288 * 12288 + 50257ll * 12288);
  EXPECT_EQ(gpt3.embedding, (50257ll + 2048) * 12288);
  EXPECT_EQ(gpt3.head, 0);
  EXPECT_EQ(gpt3.active, gpt3.total);
  const ParameterCount mixtral = count_parameters(find_model("mixtral-8x7b")->model);
  const std::int64_t layer =
      4096ll * (4096 + 2 * 1024) + 4096ll * 4096 + 4096ll * 8 + 2 * 3 * 4096ll * 14336;
  EXPECT_EQ(mixtral.matmul, 32 * layer + 4096ll * 32000);
  EXPECT_EQ(mixtral.active, mixtral.matmul + mixtral.embedding + (2 * 32 + 1) * 4096);
}

/// The page is generated; ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(Models, ReferencePageIsUpToDate) {
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/models.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << models_reference();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), models_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::workload
