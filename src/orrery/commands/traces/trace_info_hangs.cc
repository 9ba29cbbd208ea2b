// SPDX-License-Identifier: Apache-2.0
//
// orrery trace info, for dumps of PyTorch's flight recorder: what is stuck.
#include "orrery/commands/traces/trace_info_hangs.h"

#include "orrery/intake/flight_records/hang_report.h"
#include "orrery/present/flight_records/flight_records_answer.h"

namespace orrery::commands {

int inspect_flight_records(const std::vector<std::string>& paths, Context& context) {
  Findings findings;
  const auto dumps = intake::read_flight_records(paths, findings);
  if (!dumps) return context.fail(dumps.error(), findings);
  const intake::HangReport found = intake::report_hangs(*dumps);
  return context.deliver(
      [&](report::Answer& answer) { present::state_hangs(answer, found, findings); });
}

}  // namespace orrery::commands
