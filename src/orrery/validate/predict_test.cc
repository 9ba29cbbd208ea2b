// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/predict.h"

#include <gtest/gtest.h>

#include "orrery/study/effects.h"
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
  const auto told = predict(points, {});
  ASSERT_TRUE(told);
  for (const std::size_t i : {0u, 1u}) {
    const auto answer = study::simulate(points[i].question);
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_DOUBLE_EQ((*told)[i].seconds, static_cast<double>(answer->step().count()) * 1e-12);
    ASSERT_TRUE((*told)[i].band);
    EXPECT_LT((*told)[i].band->first, (*told)[i].band->second);
  }
  EXPECT_EQ((*told)[0].trait("device and precision"), "h100-sxm 16 bits");
  EXPECT_EQ((*told)[1].trait("pp"), "2");
  EXPECT_EQ((*told)[1].trait("devices"), "9 to 64");
  EXPECT_EQ((*told)[0].trait("size"), "2 to 10B");
  EXPECT_DOUBLE_EQ((*told)[0].tokens, 8 * 8192.0);
  for (const std::string_view trait : trait_names())
    EXPECT_TRUE(trait == "source" || !(*told)[0].trait(trait).empty()) << trait;
  EXPECT_EQ((*told)[2].why_not, "model.heads is 32, no multiple of 3 (tp)");
  EXPECT_EQ((*told)[3].why_not, "no device 'Gaudi2'");
}

// What is asked twice is told once: alone, beside others, with any number of threads.
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
    PredictOptions options;
    options.threads = threads;
    std::size_t told = 0;
    options.progress = [&](std::size_t done) { told = done; };
    const auto all = predict(*points, options);
    ASSERT_TRUE(all);
    EXPECT_EQ(told, points->size());
    for (std::size_t i = 0; i < points->size(); ++i) {
      SCOPED_TRACE((*points)[i].id);
      const auto alone = predict(std::span(*points).subspan(i, 1), {});
      ASSERT_TRUE(alone);
      EXPECT_EQ((*all)[i].seconds, alone->front().seconds);
      EXPECT_EQ((*all)[i].band, alone->front().band);
      EXPECT_EQ((*all)[i].traits, alone->front().traits);
    }
    EXPECT_EQ((*all)[0].seconds, (*all)[2].seconds);
    EXPECT_NE((*all)[3].seconds, (*all)[2].seconds);
    EXPECT_NE((*all)[4].seconds, (*all)[3].seconds);
  }
}

// One device has nobody to talk to, and says no bandwidth.
TEST(Predict, OneDeviceNeedsNoNetwork) {
  Findings findings;
  const auto points = parse_points(
      "id,model.layers,model.hidden,gpu,n,measured_s\na,2,1024,l4,1,1\n", "one.csv", findings);
  ASSERT_TRUE(points.has_value()) << to_string(points.error());
  const auto told = predict(*points, {});
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)[0].why_not, "");
  EXPECT_GT((*told)[0].seconds, 0);
}

TEST(Predict, IsTheSameForAnyThreads) {
  const auto points = toy_points();
  PredictOptions several;
  several.threads = 4;
  std::size_t most = 0;
  several.progress = [&](std::size_t done) { most = std::max(most, done); };
  const auto one = predict(points, {}), many = predict(points, several);
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
  const auto whole = predict(points, {});
  ASSERT_TRUE(whole);
  const auto without = [&](std::string name) {
    PredictOptions options;
    options.without = {std::move(name)};
    return predict(points, options).value();
  };
  for (const study::Effect& effect : study::effects()) {
    const auto told = without(std::string(effect.name));
    EXPECT_TRUE(told[0].why_not.empty()) << effect.name << ": " << told[0].why_not;
    EXPECT_NE(effect.of_job == nullptr, effect.of_cluster == nullptr) << effect.name;
  }
  EXPECT_LT(without("gaps")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("launch")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("beside_collectives")[0].seconds, (*whole)[0].seconds);
  EXPECT_GT(without("gradient_overlap")[0].seconds, (*whole)[0].seconds);
  EXPECT_LT(without("gradient_norm")[0].seconds, (*whole)[0].seconds);
  EXPECT_GT(without("send_overlap")[1].seconds, (*whole)[1].seconds);
  EXPECT_EQ(without("send_overlap")[0].seconds, (*whole)[0].seconds) << "it has no stages";
  EXPECT_EQ(without("imbalance")[0].seconds, (*whole)[0].seconds) << "it has no experts";
  PredictOptions unknown;
  unknown.without = {"gap"};
  EXPECT_EQ(predict(points, unknown).error().hint, "did you mean \"gaps\"?");
}

}  // namespace
}  // namespace orrery::validate
