// SPDX-License-Identifier: Apache-2.0
//
// A recording compared with its replay as one self-contained HTML page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"

namespace orrery::report {

/// The data of a replay page. Times are in nanoseconds; 0: unknown.
struct PageReplay {
  /// One side: number of operators, their time and their rates.
  struct Side {
    std::uint64_t count = 0;
    std::int64_t ns = 0;
    double flops_rate = 0, bytes_rate = 0;
  };
  struct Row {
    std::string name;  ///< of a kind of work, or of an operator
    std::string kind;  ///< for an operator, the kind of its work; for a kind of work, its name
    std::string rule;  ///< the substitution rule of an operator; empty: none
    Side recorded, replayed;
    std::uint64_t kernels = 0;  ///< recorded on the device
  };
  struct OperatorCount {
    std::string name;
    std::uint64_t recorded = 0, replayed = 0;
  };
  struct Rule {
    std::string name, about;
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
  bool timed = false;                                      ///< whether recorded times are known
  bool on_device = false;  ///< whether recorded times are from a device
  std::vector<Row> kinds;
  std::vector<Row> operators;
  std::vector<OperatorCount> operator_counts;
  std::vector<Rule> rules;
  std::vector<Comm> comms;
  /// By operator in order: peak bytes allocated during it, above the level before it. Empty:
  /// unknown.
  std::vector<std::int64_t> recorded_memory, replayed_memory;
  /// Recorded memory is from the allocator; false: derived from lifetimes.
  bool profiled_memory = false;
};

/// The page's data as JSON (format: web/src/replay_data.ts). It never contains `</`.
[[nodiscard]] std::string replay_data(const PageReplay& replay, const Findings& findings);

/// Fills a replay into `page`, as write_html() does with a run. Errc: see write_html().
[[nodiscard]] Result<std::string> write_replay_html(const PageReplay& replay,
                                                    const Findings& findings,
                                                    std::string_view page);

}  // namespace orrery::report
