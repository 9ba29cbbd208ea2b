// SPDX-License-Identifier: Apache-2.0
//
// What people type to say how bandwidth is to be split.
#pragma once

#include <string>
#include <vector>

#include "addons/split_bandwidth/split_job.h"
#include "orrery/config/question_table.h"
#include "orrery/core/error.h"

namespace orrery::split_bandwidth {

[[nodiscard]] std::vector<std::string_view> objective_names();

/// As typed; empty: left out.
struct SplitArguments {
  std::string total, objective = "time", costs;
  std::vector<std::string> lower, upper;
  std::string order;

  static constexpr auto fields = std::tuple{
      config::QuestionField{"total", &SplitArguments::total, "--total", "RATE", config::kAnswer,
                            "100 GB/s",
                            "Of a device over all dimensions together; by default as much as "
                            "there is"},
      config::QuestionField{"objective", &SplitArguments::objective, "--objective", "WORD",
                            config::kAnswer, "time-cost",
                            "time: of communication; time-cost: (compute + communication) x cost",
                            objective_names}
          .shows_default(),
      config::QuestionField{
          "costs", &SplitArguments::costs, "--cost", "LIST", config::kAnswer, "1,5",
          "Of a GB/s in each dimension, innermost first (2,2,57.4), in any money"},
      config::QuestionField{"least", &SplitArguments::lower, "--least", "DIM=RATE", config::kAnswer,
                            "1=50 GB/s", "A dimension has no less: '1=50 GB/s'; may be repeated"}
          .one_each(),
      config::QuestionField{"most", &SplitArguments::upper, "--most", "DIM=RATE", config::kAnswer,
                            "1=5 GB/s", "… no more"}
          .one_each(),
      config::QuestionField{"order", &SplitArguments::order, "--order", "LIST", config::kAnswer,
                            "0,1", "Dimensions each of which has no less than the next: 0,1,2"}};
};

/// Puts them into the question. Errc: usage, config_type, config_unit and config_range at the
/// option
/// ("--most").
[[nodiscard]] Result<void> read_options(const SplitArguments& words, SplitQuestion& asked);

}  // namespace orrery::split_bandwidth
