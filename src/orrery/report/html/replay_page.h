// SPDX-License-Identifier: Apache-2.0
//
// A recording beside its replay as one self-contained HTML page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::report {

/// What the page says of a replay. Times are nanoseconds; 0: not known.
struct PageReplay {
  /// Of one side: how many operators, how long, and what is known of them per second.
  struct Side {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    double flops_rate = 0, bytes_rate = 0;
  };
  struct Row {
    std::string name;  ///< of a kind of work, or of an operator
    std::string kind;  ///< of an operator's work; of a kind of work the same as the name
    std::string rule;  ///< what stands in for an operator; empty: itself
    Side recorded, replayed;
    std::uint64_t kernels = 0;  ///< recorded on the device
  };
  struct Ran {
    std::string name;
    std::uint64_t recorded = 0, replayed = 0;
  };
  struct Rule {
    std::string name, says;
    std::uint64_t count = 0;
    std::int64_t recorded_ns = 0;
  };
  struct Comm {
    std::string kind;
    std::uint64_t recorded = 0, replayed = 0;
    std::int64_t bytes = 0, recorded_ns = 0, replayed_ns = 0;
  };

  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< label, text
  bool timed = false;                                      ///< recorded times are known
  bool on_device = false;                                  ///< and are of a device
  std::vector<Row> kinds;
  std::vector<Row> operators;
  std::vector<Ran> ran;
  std::vector<Rule> rules;
  std::vector<Comm> comms;
  /// By operator in their order, beyond what was there before: while it ran. Empty: not known.
  std::vector<std::int64_t> recorded_memory, replayed_memory;
  bool profiled_memory = false;  ///< recorded as allocated, else by lifetimes
};

/// The page's data as JSON (the contract is web/src/replay_data.ts). `</` never appears in it.
[[nodiscard]] std::string replay_data(const PageReplay& replay, const Findings& findings);

/// `page` as write_html() takes it, with a replay put in. Errc: see write_html().
[[nodiscard]] Result<std::string> write_replay_html(const PageReplay& replay,
                                                    const Findings& findings,
                                                    std::string_view page);

}  // namespace orrery::report
