// SPDX-License-Identifier: Apache-2.0
//
// Options for splitting bandwidth.
#pragma once

#include <string>
#include <vector>

#include "addons/split_bandwidth/split_job.h"
#include "orrery/config/question_table.h"
#include "orrery/core/error.h"

namespace orrery::split_bandwidth {

[[nodiscard]] std::vector<std::string_view> objective_names();

/// The options as typed; empty: not given.
struct SplitArguments {
  std::string total, objective = "time", costs;
  std::vector<std::string> lower, upper;
  std::string order;

  static constexpr auto fields = std::tuple{
      config::QuestionField{
          "total", &SplitArguments::total, "--total", "RATE", config::kAnswer, "100 GB/s",
          "Bandwidth per device over all dimensions; by default that of the cluster"},
      config::QuestionField{"objective", &SplitArguments::objective, "--objective", "WORD",
                            config::kAnswer, "time-cost",
                            "time: communication time; time-cost: (compute + communication) x cost",
                            objective_names}
          .shows_default(),
      config::QuestionField{
          "costs", &SplitArguments::costs, "--cost", "LIST", config::kAnswer, "1,5",
          "Cost of 1 GB/s in each dimension, innermost first (2,2,57.4), in any currency"},
      config::QuestionField{"least", &SplitArguments::lower, "--min-bandwidth", "DIM=RATE", config::kAnswer,
                            "1=50 GB/s",
                            "Minimum bandwidth of a dimension: '1=50 GB/s'; may be repeated"}
          .one_each(),
      config::QuestionField{"most", &SplitArguments::upper, "--max-bandwidth", "DIM=RATE", config::kAnswer,
                            "1=5 GB/s",
                            "Maximum bandwidth of a dimension: '1=50 GB/s'; may be repeated"}
          .one_each(),
      config::QuestionField{"order", &SplitArguments::order, "--order", "LIST", config::kAnswer,
                            "0,1",
                            "Dimensions in order of bandwidth, none less than the next: 0,1,2"}};
};

/// Sets the question from the options. Errc: usage, config_type, config_unit and config_range at
/// the option ("--max-bandwidth").
[[nodiscard]] Result<void> read_options(const SplitArguments& words, SplitQuestion& asked);

}  // namespace orrery::split_bandwidth
