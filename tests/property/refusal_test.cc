// SPDX-License-Identifier: Apache-2.0
//
// A job that breaks a rule is refused with the rule's name, and nothing else happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "draw.h"
#include "orrery/core/effort_testing.h"

namespace orrery::property {
namespace {

using namespace workload;

/// Spoils one number of a legal job.
void spoil(Spec& spec, Random& random) {
  const auto odd = static_cast<std::int64_t>(2 + random() % 9);
  switch (random() % 9) {
    case 0:
      spec.parallel.tp *= odd;
      break;
    case 1:
      spec.parallel.pp *= 16 + odd;
      break;
    case 2:
      spec.batch.global += 1;
      spec.batch.micro = 2;
      break;
    case 3:
      spec.parallel.ep = odd;
      break;
    case 4:
      spec.schedule.chunks += odd;
      break;
    case 5:
      spec.parallel.shard_size = odd;
      break;
    case 6:
      spec.parallel.order = "tp-tp-ep-dp-pp";
      break;
    case 7:
      spec.model.hidden = std::int64_t{1} << 50;
      break;
    default:
      spec.parallel.cp *= 32 * odd;
      break;
  }
}

TEST(Refusal, NamesTheRule) {
  EXPECT_TRUE(rc::check("refused with a rule", [](std::uint64_t seed) {
    Random random(seed);
    const std::vector<Rule> known = rules();
    for (int i = 0; i < core_testing::case_count(20, 8); ++i) {
      Spec spec = draw_legal(random);
      spoil(spec, random);
      const auto verdict = check_spec(spec);
      if (verdict) {  // the change happened to be fine: then it can be assembled, too
        Findings findings;
        RC_ASSERT(assemble(spec, findings).has_value());
        continue;
      }
      const std::string& hint = verdict.error().hint;
      RC_LOG() << to_string(verdict.error());
      RC_ASSERT(std::any_of(known.begin(), known.end(), [&](const Rule& rule) {
        return hint.find(rule.name) != std::string::npos;
      }));
      RC_ASSERT(exit_code(verdict.error().code) == 2);
    }
  }));
}

}  // namespace
}  // namespace orrery::property
