// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace orrery::app {

struct ExitCode {
  int code;
  std::string_view meaning;
};

/// The exit codes in --help and on the manual page. 2 to 5 derive from Errc (core/error.h);
/// context.h has the others.
inline constexpr std::array<ExitCode, 8> kExitCodes = {{
    {0, "success"},
    {1,
     "the answer is no: 'trace validate' found problems, 'compare' a regression, a search no plan"},
    {2, "a wrong option or configuration, or output that cannot be written"},
    {3, "an input file that is missing or damaged"},
    {4, "the simulated job cannot finish: some ranks wait forever"},
    {5, "a limit was exceeded, e.g. of memory"},
    {70, "a defect of Orrery"},
    {130, "interrupted"},
}};

}  // namespace orrery::app
