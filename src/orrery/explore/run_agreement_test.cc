// SPDX-License-Identifier: Apache-2.0
//
// A point of a space and `orrery run` of the same job have the same verdict on memory, interval of
// the step and MFU by format.
#include <gtest/gtest.h>

#include <cmath>

#include "orrery/core/effort_testing.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::explore {
namespace {

struct Case {
  const char* name;
  const char* cluster;
  const char* precision;  ///< keys of the specification
  const char* plan;
};

// Rules of a library and of ideal collectives; devices with and without measured kernels, with and
// without peaks by format; each plan of tensor, pipeline and data parallelism.
constexpr const char* kH100 = "h100-sxm:8";
constexpr const char* kB200 = "b200:8";
constexpr const char* kRoofline =
    "{device: {is: h100-sxm, compute: roofline}, collectives: {library: ideal}, network: [{block: "
    "switch, size: 8, bandwidth: 400 GB/s, latency: 1 us}]}";
constexpr const char* kBf16 = "{}";
constexpr const char* kFp8 = "{products: fp8}";
constexpr const char* kMxfp8 = "{products: fp8, scaling: mx}";
constexpr const char* kNvfp4 = "{products: fp4, scaling: mx}";
constexpr const char* kTensor = "{tp: 8, sp: true}";
constexpr const char* kPipeline = "{tp: 2, pp: 2, dp: 2, sharding: zero1}";
constexpr const char* kData = "{dp: 8, sharding: zero3}";

constexpr Case kCases[] = {
    {"h100_bf16_tensor", kH100, kBf16, kTensor},
    {"h100_fp8_pipeline", kH100, kFp8, kPipeline},
    {"h100_fp8_data", kH100, kFp8, kData},
    {"a100_bf16_pipeline", "a100-80gb:8", kBf16, kPipeline},
    {"b200_bf16_data", kB200, kBf16, kData},
    {"b200_mxfp8_pipeline", kB200, kMxfp8, kPipeline},
    {"b200_nvfp4_tensor", kB200, kNvfp4, kTensor},
    {"roofline_bf16_pipeline", kRoofline, kBf16, kPipeline},
    {"roofline_fp8_tensor", kRoofline, kFp8, kTensor},
};

/// A space of one point.
SearchSpace space_with(const Case& one, const std::string& cluster) {
  return space_of(fmt::format(
      "version: 1\njob: {{model: {{name: small, layers: 8, hidden: 4096, heads: 32, vocab: 32000}},"
      " batch: {{global: 16, micro: \"=m\", seq: 2048}}, parallel: {}, precision: {}}}\n"
      "cluster: {}\naxes: [{{name: m, values: [1]}}]\n",
      one.plan, one.precision, cluster));
}

analysis::Digest run_of(const PointSpec& asked) {
  study::Question question;
  question.job.texts = {{"job", asked.job.dump()}};
  question.cluster = asked.cluster.is_string() ? asked.cluster.get<std::string>() : "cluster";
  if (!asked.cluster.is_string()) question.cluster_text = asked.cluster.dump();
  study::Watch ignored_watch;
  Findings findings;
  const auto outcome = study::answer(question, ignored_watch, findings);
  EXPECT_TRUE(outcome) << to_string(outcome.error());
  return outcome ? study::digest(*outcome) : analysis::Digest{};
}

class RunAgreement : public testing::TestWithParam<Case> {};

/// Unknown figures are empty.
std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

TEST_P(RunAgreement, OfEveryFigure) {
  const SearchSpace space = space_with(GetParam(), GetParam().cluster);
  const PointSpec asked = *spec_at(space, space.at(0));
  Evaluator evaluator(space);
  const PointPrediction point = evaluator.predict(asked, Evaluation::simulate);
  ASSERT_EQ(point.state, State::fits) << to_string(point.error.value_or(Error{}));
  const Figures figures = figures_of(point, Rates{});
  const analysis::Digest run = run_of(asked);
  EXPECT_EQ(point.step, run.step.step.count());
  ASSERT_TRUE(run.memory);
  EXPECT_EQ(point.memory, run.memory->need);
  EXPECT_EQ(point.fit(), run.memory->fit());
  EXPECT_EQ(figures[Figure::spare_memory], static_cast<double>(run.memory->spare().count()));
  ASSERT_EQ(point.interval.has_value(), run.interval.has_value());
  if (run.interval) {
    EXPECT_EQ(point.interval->lower, run.interval->lower);
    EXPECT_EQ(point.interval->upper, run.interval->upper);
    EXPECT_EQ(figures[Figure::step_high], seconds(run.interval->upper));
  }
  EXPECT_EQ(point.no_interval_reason, analysis::no_interval_reason(run.errors, run.step.step));
  EXPECT_EQ(point.no_interval_reason.empty(), point.interval.has_value());
  EXPECT_EQ(known(figures[Figure::format_mfu]).has_value(), run.by_format.has_value());
  if (run.by_format) {
    EXPECT_DOUBLE_EQ(figures[Figure::format_mfu], run.by_format->mfu);
    EXPECT_DOUBLE_EQ(figures[Figure::format_hfu], run.by_format->hfu);
    EXPECT_LT(figures[Figure::format_mfu], figures[Figure::mfu]);
  }
  const std::string_view precision = GetParam().precision;
  EXPECT_EQ(run.by_format.has_value(), precision != kBf16);
  // An estimate has no interval, but the same verdict and formats.
  const PointPrediction estimate = evaluator.predict(asked, Evaluation::estimate);
  EXPECT_FALSE(estimate.interval);
  EXPECT_EQ(estimate.no_interval_reason, "");
  EXPECT_EQ(estimate.memory, point.memory);
  EXPECT_EQ(estimate.work_by_format, point.work_by_format);
}

// At each end of the memory's bounds, by every evaluation method.
TEST_P(RunAgreement, OnVerdictsAtTheBounds) {
  const SearchSpace given = space_with(GetParam(), GetParam().cluster);
  const PointSpec full = *spec_at(given, given.at(0));
  const MemoryNeed need = Evaluator(given).predict(full, Evaluation::estimate).memory;
  ASSERT_LT(need.lower, need.total);
  ASSERT_LT(need.total, need.upper);
  const std::string device = std::string(GetParam().cluster).substr(0, 4) == "b200"   ? "b200"
                             : std::string(GetParam().cluster).substr(0, 4) == "a100" ? "a100-80gb"
                                                                                      : "h100-sxm";
  const std::pair<Bytes, MemoryFit> capacities[] = {{need.lower - Bytes(1), MemoryFit::no},
                                                    {need.lower, MemoryFit::uncertain},
                                                    {need.total, MemoryFit::uncertain},
                                                    {need.upper - Bytes(1), MemoryFit::uncertain},
                                                    {need.upper, MemoryFit::yes}};
  for (const auto& [capacity, verdict] : capacities) {
    const SearchSpace space = space_with(
        GetParam(), fmt::format("{{device: {{is: {}, memory_capacity: {} B}}, network: [{{block: "
                                "switch, size: 8, bandwidth: 400 GB/s, latency: 1 us}}]}}",
                                device, capacity.count()));
    const PointSpec asked = *spec_at(space, space.at(0));
    const analysis::Digest run = run_of(asked);
    ASSERT_TRUE(run.memory);
    EXPECT_EQ(run.memory->fit(), verdict) << capacity.count();
    Evaluator evaluator(space);
    for (const Evaluation by : {Evaluation::columns, Evaluation::estimate, Evaluation::simulate}) {
      const PointPrediction point = evaluator.predict(asked, by);
      EXPECT_EQ(point.fit(), run.memory->fit()) << capacity.count();
      EXPECT_EQ(point.memory, run.memory->need);
      EXPECT_EQ(point.capacity, run.memory->capacity);
      EXPECT_EQ(point.state, need.total <= capacity ? State::fits : State::too_large);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Points, RunAgreement, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// A constraint on what only simulations know would exclude every estimated point.
TEST(RunAgreementOf, FiguresOfSimulationsNeedsThem) {
  for (const char* more : {"constraints: [step_high < 1 s]\n", "objectives: [step_low]\n"}) {
    const SearchSpace space = space_of(small_space(more));
    for (const Evaluation by : {Evaluation::estimate, Evaluation::automatic}) {
      ExploreOptions options;
      options.evaluation = by;
      const auto refused = explore(space, options);
      ASSERT_FALSE(refused);
      EXPECT_NE(to_string(refused.error()).find("which only simulated points have"),
                std::string::npos)
          << to_string(refused.error());
    }
  }
}

}  // namespace
}  // namespace orrery::explore
