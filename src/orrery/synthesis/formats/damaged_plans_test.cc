// SPDX-License-Identifier: Apache-2.0
//
// Damaged plans: cut everywhere, with every byte and many numbers changed, they end in an error
// that says where and what, or in another plan that can be checked; never in a crash or a hang.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/random.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/example_plans_testing.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::synthesis {
namespace {

void look_at(std::string_view text) {
  Findings findings;
  const auto plan = read_plan(text, "p", findings);
  if (!plan) {
    ASSERT_FALSE(plan.error().where.empty() || plan.error().what.empty());
    return;
  }
  const PlanCheck check = check_plan(*plan);
  for (const PlanError& error : check.errors) ASSERT_FALSE(error.what.empty());
  if (check.is_valid()) {
    ASSERT_TRUE(lower_plan(*plan));
  }
  if (plan->format != "MSCCL") return;
  const auto written = write_msccl(*plan);
  if (written) {
    ASSERT_TRUE(read_plan(*written, "again", findings));
  }
}

void damage(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    look_at(text.substr(0, i));
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    look_at(changed);
    if (text[i] < '0' || text[i] > '9') continue;
    for (const char* number : {"-1", "7", "1000000", "99999999999999999999"}) {
      changed = text;
      look_at(changed.replace(i, 1, number));
    }
  }
}

std::string sample(const std::string& name) {
  const auto text = config::read_text(std::string(core_testing::kSourceFolder) +
                                      "/tests/fuzz/corpus/plan_mscclpp_fuzz/" + name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

TEST(DamagedPlans, OfMscclEndInAnErrorOrAPlan) {
  damage(*write_msccl(ring_all_reduce(2)));
  Plan plan = halving_doubling_all_reduce(4);
  for (PlanRank& rank : plan.ranks) rank.blocks.resize(2);
  damage(*write_msccl(plan));
}

// Long ones are hit here and there.
TEST(DamagedPlans, OfMscclppEndInAnErrorOrAPlan) {
  std::uint64_t seed = 1;
  for (const char* name : {"first.json", "reduce.json"}) {
    const std::string text = sample(name);
    ASSERT_FALSE(text.empty());
    for (int round = 0; round < 1200; ++round) {
      std::string changed = text;
      for (int hit = 0; hit < 1 + round % 3; ++hit) {
        const std::size_t at =
            changed.find_first_of("0123456789", mix_bits(seed++) % changed.size());
        if (at == std::string::npos) continue;
        constexpr const char* kNumbers[] = {"0", "1", "2", "3", "9", "-1", "4000000000"};
        changed.replace(at, 1, kNumbers[mix_bits(seed++) % std::size(kNumbers)]);
      }
      look_at(changed);
      look_at(text.substr(0, mix_bits(seed++) % text.size()));
    }
  }
}

}  // namespace
}  // namespace orrery::synthesis
