// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/check.h"
#include "orrery/platform/platform_testing.h"
#include "orrery/synthesis/formats/mscclpp.h"
#include "orrery/synthesis/formats/read_plan.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

using namespace orrery;
using namespace orrery::synthesis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  const auto plan = read_plan(text, "plan.json", findings);
  platform::fuzzing::check(plan);
  if (plan && check_plan(*plan).is_valid()) ORRERY_CHECK(lower_plan(*plan).has_value());
  return 0;
}
