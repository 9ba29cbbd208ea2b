// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/clusters/link_fault_text.h"

#include <fmt/format.h>

#include "orrery/core/text/units.h"

namespace orrery::present {

std::string link_fault_text(const platform::LinkFault& fault) {
  std::string text = fault.bandwidth == 0
                         ? std::string("down")
                         : fmt::format("at {:.3g} % of the bandwidth", 100 * fault.bandwidth);
  if (fault.end) {
    text += fmt::format(" from {} to {}", format_time(fault.start), format_time(*fault.end));
  } else if (fault.start > Time{}) {
    text += fmt::format(" from {} on", format_time(fault.start));
  }
  if (fault.every > Time{})
    text += fmt::format(" for {} every {}", format_time(fault.duration), format_time(fault.every));
  return text;
}

}  // namespace orrery::present
