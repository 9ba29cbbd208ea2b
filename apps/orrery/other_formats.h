// SPDX-License-Identifier: Apache-2.0
//
// orrery convert, for what is not a recorded trace: Chakra to text forms, workloads as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

struct OtherFormats {
  std::int64_t npus = 0;    ///< ASTRA-sim text: ranks
  std::int64_t passes = 1;  ///< ASTRA-sim text: iterations
  bool large = false;       ///< dot and GraphML of any size
};

void add_other_formats(CLI::App& command, OtherFormats& options);

/// session.output is where to.
int convert_other(const std::vector<std::string>& paths, const OtherFormats& options,
                  Session& session);

}  // namespace orrery::app
