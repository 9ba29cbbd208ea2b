// SPDX-License-Identifier: Apache-2.0
//
// The page that was built into this program: cmake/OrreryPage.cmake makes it known.
#include "orrery/report/html/run_page.h"

namespace orrery::report {

extern const char* const kPage;
extern const std::size_t kPageBytes;

std::string_view built_in_page() { return {kPage, kPageBytes}; }

}  // namespace orrery::report
