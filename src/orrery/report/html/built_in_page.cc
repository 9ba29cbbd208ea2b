// SPDX-License-Identifier: Apache-2.0
//
// The page that is embedded in this program, from cmake/OrreryPage.cmake.
#include "orrery/report/html/run_page.h"

namespace orrery::report {

extern const char* const kPage;
extern const std::size_t kPageBytes;

std::string_view built_in_page() { return {kPage, kPageBytes}; }

}  // namespace orrery::report
