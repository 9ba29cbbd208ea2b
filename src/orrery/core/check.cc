// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace orrery {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "orrery: internal defect at %s:%d: %s does not hold\n", file, line,
               expression);
  std::abort();
}

}  // namespace orrery
