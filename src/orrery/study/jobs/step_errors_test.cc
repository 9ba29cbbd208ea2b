// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/step_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "orrery/platform/catalog/step_errors.h"

namespace orrery::study {
namespace {

workload::Spec dense_spec() {
  workload::Spec spec;
  spec.precision.activations = workload::Dtype::bf16;
  return spec;
}

sim::SimResult predicted_step() {
  sim::SimResult result;
  result.end = us(1000);
  result.error_classes = {{"learned gemm bf16", us(1000), sim::ErrorBand{us(-50), us(80)}}};
  return result;
}

TEST(StepErrors, AreClassesOfTheCompleteStep) {
  const platform::StepErrors* const errors = platform::find_step_errors("dense", "16 bits");
  ASSERT_NE(errors, nullptr);
  platform::Device device;
  for (const bool known : {true, false}) {
    device.in_step.factors.clear();
    if (known) device.in_step.factors.push_back({16, 1.2, 0, 0});
    sim::SimResult result = predicted_step();
    add_step_errors(dense_spec(), device, result);
    std::size_t expected = 1;
    for (const auto& [name, range] : platform::step_error_terms(known)) {
      const auto found =
          std::ranges::find(result.error_classes, std::string(name), &sim::ErrorClass::name);
      const platform::StepErrorRange& share = errors->*range;
      if (share == platform::StepErrorRange{}) {
        EXPECT_EQ(found, result.error_classes.end());
        continue;
      }
      ++expected;
      ASSERT_NE(found, result.error_classes.end()) << name;
      EXPECT_EQ(found->time, Time{});
      EXPECT_NEAR(seconds(found->band->lower), share.lower * 1e-3, 1e-12);
      EXPECT_NEAR(seconds(found->band->upper), share.upper * 1e-3, 1e-12);
    }
    EXPECT_EQ(result.error_classes.size(), expected);
  }
}

// A step of recorded or of unknown times says nothing of the models.
TEST(StepErrors, NeedAPredictedKernel) {
  for (const auto& band : {std::optional(sim::ErrorBand{}), std::optional<sim::ErrorBand>()}) {
    sim::SimResult result = predicted_step();
    result.error_classes = {{"any", us(1000), band}};
    add_step_errors(dense_spec(), {}, result);
    EXPECT_EQ(result.error_classes.size(), 1u);
  }
}

TEST(StepErrors, KindsAreThoseOfTheFit) {
  workload::Spec spec = dense_spec();
  EXPECT_EQ(job_kind(spec), "dense");
  EXPECT_EQ(products_text(spec), "16 bits");
  spec.model.moe.emplace();
  EXPECT_EQ(job_kind(spec), "experts");
  spec.lora.emplace();
  EXPECT_EQ(job_kind(spec), "adapters");
}

}  // namespace
}  // namespace orrery::study
