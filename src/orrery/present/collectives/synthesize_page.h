// SPDX-License-Identifier: Apache-2.0
//
// Web page of a collective synthesized for a fabric: summary lines, and which link carries which
// piece when.
#pragma once

#include <cstddef>

#include "orrery/report/html/schedule_page.h"
#include "orrery/study/collectives/collective_synthesis.h"

namespace orrery::present {

struct SynthesisPageOptions {
  /// Limit. Beyond it entire links are omitted, and the page states how many. Binding links have
  /// priority, then the busiest.
  std::size_t max_sends = 200'000;
};

/// O(sends × log of a piece's sends + links × log links).
[[nodiscard]] report::PageSchedule synthesis_page(const study::CollectiveSynthesisAnswer& answer,
                                                  const SynthesisPageOptions& options = {});

}  // namespace orrery::present
