// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/catalog/step_errors.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::platform {
namespace {

TEST(StepErrors, EntriesCanBeReadAndNameTheirSteps) {
  const auto fine = check_step_errors();
  ASSERT_TRUE(fine) << to_string(fine.error());
  ASSERT_FALSE(all_step_errors().empty());
  for (const StepErrors& one : all_step_errors()) {
    EXPECT_FALSE(one.about.empty()) << one.name;
    bool any = false;
    for (const auto& [name, range] : step_error_terms(true))
      any = any || one.*range != StepErrorRange{};
    EXPECT_TRUE(any) << one.name;
    EXPECT_LE(one.unknown_device.lower, one.device.lower) << one.name;
    EXPECT_GE(one.unknown_device.upper, one.device.upper) << one.name;
  }
}

TEST(StepErrors, AnEntryWithoutProductsIsForAllOthers) {
  const StepErrors* const half = find_step_errors("dense", "16 bits");
  const StepErrors* const other = find_step_errors("dense", "int8");
  ASSERT_NE(half, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(half->name, "dense, 16 bits");
  EXPECT_EQ(other->name, "dense");
  EXPECT_EQ(find_step_errors("no such kind", "16 bits"), nullptr);
}

TEST(StepErrors, DevicesWithoutFactorsHaveTheirOwnTerm) {
  ASSERT_EQ(step_error_terms(true).size(), step_error_terms(false).size());
  EXPECT_TRUE(step_error_terms(true)[3].range == &StepErrors::device);
  EXPECT_TRUE(step_error_terms(false)[3].range == &StepErrors::unknown_device);
}

}  // namespace
}  // namespace orrery::platform
