// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/calculon_run.h"

#include <gtest/gtest.h>

#include "addons/case_study/case_study.h"

namespace orrery::case_study {
namespace {

TEST(CalculonRun, StepsOfTheBuiltInStudyAreCalculons) {
  const auto study = read_case_study("calculon");
  ASSERT_TRUE(study) << to_string(study.error());
  ASSERT_EQ(study->runs.size(), 9u);
  const auto best = calculon_values(study->runs.back(), "study");
  ASSERT_TRUE(best) << to_string(best.error());
  EXPECT_NEAR((*best)[RunMetric::time], 9.194903525994517e12, 1);
  const double parts = (*best)[RunMetric::compute] + (*best)[RunMetric::exposed] +
                       (*best)[RunMetric::memory] + (*best)[RunMetric::idle];
  EXPECT_NEAR(parts, (*best)[RunMetric::time], 10);
}

TEST(CalculonRun, SaysWhatIsWrong) {
  const auto study = read_case_study("calculon");
  ASSERT_TRUE(study);
  GridRun run = study->runs.front();
  run.calculon["execution"]["tensor_par"] = 16;
  auto refused = calculon_values(run, "study");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "study:/calculon/execution");
  run = study->runs.front();
  run.calculon["model"]["hiden"] = 1;
  EXPECT_EQ(calculon_values(run, "study").error().code, Errc::config_unknown_key);
  run.calculon.erase("model");
  EXPECT_EQ(calculon_values(run, "study").error().code, Errc::config_missing_key);
}

}  // namespace
}  // namespace orrery::case_study
