// SPDX-License-Identifier: Apache-2.0
//
// Views of recordings, as a web page.
#pragma once

#include <vector>

#include "orrery/intake/job/job.h"
#include "orrery/report/html/views_page.h"
#include "orrery/study/recordings/views/view.h"

namespace orrery::present {

/// The data of the page. Columns of ranks are left out where one rank is recorded.
[[nodiscard]] report::PageViews views_page(const std::vector<study::View>& views,
                                           const intake::Job& job);

}  // namespace orrery::present
