// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/point_prediction.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "orrery/study/questions/effects.h"
#include "orrery/study/study.h"

namespace orrery::validate {
namespace {

constexpr const char* kPoints =
    "id,model,tp,pp,global_batch,schedule,gpu,n,dom,nvl,ib,measured_s,kernels.framework\n"
    "a,llama-3.1-8b,2,1,8,,H100,8,8,450,50,1,megatron\n"
    "b,llama-3.1-8b,2,2,16,,A100,16,8,300,25,2,megatron\n"
    "c,llama-3.1-8b,3,1,8,,H100,6,6,450,50,1,\n"
    "d,llama-3.1-8b,1,1,8,,Gaudi2,8,8,450,50,1,\n";

std::vector<MeasuredPoint> toy_points() {
  Findings findings;
  return parse_points(kPoints, "toys.csv", findings).value();
}

TEST(Predict, SaysWhatRunSays) {
  const auto points = toy_points();
  const auto predictions = predict_points(points, {});
  ASSERT_TRUE(predictions);
  for (const std::size_t i : {0u, 1u}) {
    const auto answer = study::simulate(points[i].question);
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_DOUBLE_EQ((*predictions)[i].seconds,
                     static_cast<double>(answer->step().count()) * 1e-12);
    ASSERT_TRUE((*predictions)[i].interval);
    EXPECT_LT((*predictions)[i].interval->first, (*predictions)[i].interval->second);
  }
  EXPECT_EQ((*predictions)[0].trait("device and precision"), "h100-sxm 16 bits");
  EXPECT_EQ((*predictions)[1].trait("pp"), "2");
  EXPECT_EQ((*predictions)[1].trait("devices"), "9 to 64");
  EXPECT_EQ((*predictions)[0].trait("size"), "2 to 10B");
  EXPECT_DOUBLE_EQ((*predictions)[0].tokens, 8 * 8192.0);
  for (const std::string_view trait : trait_names())
    EXPECT_TRUE(trait == "source" || !(*predictions)[0].trait(trait).empty()) << trait;
  EXPECT_EQ((*predictions)[2].skip_reason, "model.heads is 32, which is not a multiple of 3 (tp)");
  EXPECT_EQ((*predictions)[3].skip_reason, "no device 'Gaudi2'");
}

TEST(Predict, NamesFamilies) {
  for (const auto& [name, family] : std::initializer_list<std::pair<const char*, const char*>>{
           {"LLAMA3_70B", "llama"},
           {"llama-3.1-8b", "llama"},
           {"GPT OSS 120B", "gpt oss"},
           {"GPT3-175B (MLPerf)", "gpt"},
           {"gpt2_large", "gpt"},
           {"DeepSeekV3 (w/ MTP)", "deepseek"},
           {"deepseek-v3", "deepseek"},
           {"Kimi_K2", "kimi"},
           {"Mixtral_8x7B", "mixtral"},
           {"bert_large", "bert large"},
           {"", ""}})
    EXPECT_EQ(model_family(name), family) << name;
}

// A point whose job has no such effect is not simulated again, with the same result.
TEST(Predict, PointsWithoutAnEffectKeepTheirPrediction) {
  const auto points = toy_points();
  const auto baseline = predict_points(points, {}).value();
  std::size_t unchanged = 0;
  for (const study::Effect& effect : study::effects()) {
    PointPredictionOptions options;
    options.without = {std::string(effect.name)};
    const auto simulated = predict_points(points, options).value();
    options.baseline = baseline;
    const auto reused = predict_points(points, options).value();
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(reused[i].seconds, simulated[i].seconds) << effect.name << " " << points[i].id;
      EXPECT_EQ(reused[i].skip_reason, simulated[i].skip_reason) << effect.name;
      unchanged += baseline[i].skip_reason.empty() && simulated[i].seconds == baseline[i].seconds;
    }
  }
  EXPECT_GT(unchanged, 0u);
}

// Equal questions have equal predictions: alone, with others, with any number of threads.
TEST(Predict, TellsEqualPointsAlike) {
  Findings findings;
  const auto points = parse_points(
      "id,source,model,tp,global_batch,gpu,n,dom,nvl,ib,measured_s\n"
      "a,one,llama-3.1-8b,2,8,H100,8,8,450,50,1\n"
      "b,one,llama-3.1-8b,2,8,H100,8,8,450,25,1\n"
      "c,two,llama-3.1-8b,2,8,H100,8,8,450,50,2\n"
      "d,two,llama-3.1-8b,4,8,H100,8,8,450,50,2\n"
      "e,two,llama-3.1-8b,4,8,H100,16,8,450,50,2\n",
      "twice.csv", findings);
  ASSERT_TRUE(points.has_value()) << to_string(points.error());
  for (const std::uint32_t threads : {1u, 3u}) {
    PointPredictionOptions options;
    options.threads = threads;
    std::size_t predictions = 0;
    options.progress = [&](std::size_t done) { predictions = done; };
    const auto all = predict_points(*points, options);
    ASSERT_TRUE(all);
    EXPECT_EQ(predictions, points->size());
    for (std::size_t i = 0; i < points->size(); ++i) {
      SCOPED_TRACE((*points)[i].id);
      const auto alone = predict_points(std::span(*points).subspan(i, 1), {});
      ASSERT_TRUE(alone);
      EXPECT_EQ((*all)[i].seconds, alone->front().seconds);
      EXPECT_EQ((*all)[i].interval, alone->front().interval);
      EXPECT_EQ((*all)[i].traits, alone->front().traits);
    }
    EXPECT_EQ((*all)[0].seconds, (*all)[2].seconds);
    EXPECT_NE((*all)[3].seconds, (*all)[2].seconds);
    EXPECT_NE((*all)[4].seconds, (*all)[3].seconds);
  }
}

// One device has no peer, and needs no bandwidth.
TEST(Predict, OneDeviceNeedsNoNetwork) {
  Findings findings;
  const auto points = parse_points(
      "id,model.layers,model.hidden,gpu,n,measured_s\na,2,1024,l4,1,1\n", "one.csv", findings);
  ASSERT_TRUE(points.has_value()) << to_string(points.error());
  const auto predictions = predict_points(*points, {});
  ASSERT_TRUE(predictions);
  EXPECT_EQ((*predictions)[0].skip_reason, "");
  EXPECT_GT((*predictions)[0].seconds, 0);
}

TEST(Predict, IsTheSameForAnyThreads) {
  const auto points = toy_points();
  PointPredictionOptions several;
  several.threads = 4;
  std::size_t most = 0;
  several.progress = [&](std::size_t done) { most = std::max(most, done); };
  const auto one = predict_points(points, {}), many = predict_points(points, several);
  ASSERT_TRUE(one && many);
  EXPECT_EQ(most, points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ((*one)[i].seconds, (*many)[i].seconds);
    EXPECT_EQ((*one)[i].traits, (*many)[i].traits);
  }
}

// Each effect has a switch that does something to a job that has it, and nothing else is changed.
TEST(Predict, CanSwitchEffectsOff) {
  const auto points = toy_points();
  const auto whole = predict_points(points, {});
  ASSERT_TRUE(whole);
  const auto without = [&](std::string name) {
    PointPredictionOptions options;
    options.without = {std::move(name)};
    return predict_points(points, options).value();
  };
  for (const study::Effect& effect : study::effects()) {
    const auto predictions = without(std::string(effect.name));
    EXPECT_TRUE(predictions[0].skip_reason.empty())
        << effect.name << ": " << predictions[0].skip_reason;
    EXPECT_NE(effect.of_job == nullptr, effect.of_cluster == nullptr) << effect.name;
  }
  EXPECT_LT(without("gaps")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("launch")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("overlapping_collectives")[0].seconds, (*whole)[0].seconds);
  EXPECT_GT(without("gradient_overlap")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("gradient_norm")[0].seconds, (*whole)[0].seconds);
  EXPECT_GT(without("send_overlap")[1].seconds, (*whole)[1].seconds);
  EXPECT_EQ(without("send_overlap")[0].seconds, (*whole)[0].seconds) << "it has no stages";
  EXPECT_EQ(without("imbalance")[0].seconds, (*whole)[0].seconds) << "it has no experts";
  PointPredictionOptions unknown;
  unknown.without = {"gap"};
  EXPECT_EQ(predict_points(points, unknown).error().hint, "did you mean \"gaps\"?");
}

}  // namespace
}  // namespace orrery::validate
