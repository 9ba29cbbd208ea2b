// SPDX-License-Identifier: Apache-2.0
//
// A collective that was made for a fabric as a web page: what it says, and which link carries which
// piece when.
#pragma once

#include <cstddef>

#include "orrery/report/html/schedule_page.h"
#include "orrery/study/collectives/collective_synthesis.h"

namespace orrery::present {

struct SynthesisPageOptions {
  /// Beyond, whole links are left out, and the page says so: those that bind are taken first, then
  /// the busiest.
  std::size_t max_sends = 200'000;
};

/// O(sends × log of a piece's sends + links × log links).
[[nodiscard]] report::PageSchedule synthesis_page(const study::CollectiveSynthesisAnswer& answer,
                                                  const SynthesisPageOptions& options = {});

}  // namespace orrery::present
