// SPDX-License-Identifier: Apache-2.0
//
// What people type to say how bandwidth is to be split.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/search/split_job.h"

namespace orrery::search {

/// As typed; empty: left out.
struct SplitWords {
  std::string total;                     ///< "600 GB/s"
  std::string objective = "time";        ///< or "time-cost"
  std::string costs;                     ///< "2,2,57.4"
  std::vector<std::string> least, most;  ///< "1=50 GB/s"
  std::string order;                     ///< "0,1,2"
};

/// Puts them into the question. Errc: usage, config_type, config_unit and config_range at the
/// option
/// ("--most").
[[nodiscard]] Result<void> read_words(const SplitWords& words, SplitQuestion& asked);

}  // namespace orrery::search
