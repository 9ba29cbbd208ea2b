// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/check.h"
#include "orrery/platform/platform_testing.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

using namespace orrery;
using namespace orrery::synthesis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  const auto plan = read_msccl(text, "plan.xml", findings);
  platform::fuzzing::check(plan);
  if (!plan) return 0;
  const PlanCheck checked = check_plan(*plan);
  if (checked.is_valid()) ORRERY_CHECK(lower_plan(*plan).has_value());
  const auto written = write_msccl(*plan);
  platform::fuzzing::check(written);
  if (written) ORRERY_CHECK(read_msccl(*written, "again.xml", findings).has_value());
  return 0;
}
