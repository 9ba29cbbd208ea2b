// SPDX-License-Identifier: Apache-2.0
//
// Checks whether the inputs of a question can be simulated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/workload/consistency.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/platform/platform.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {

/// Results of the check.
struct InputCheck {
  struct Item {
    std::string what;  ///< "cluster", "workload", "ranks"
    std::string text;  ///< facts of the input
  };
  std::vector<Item> passed;
  std::vector<Error> errors;          ///< unreadable or damaged inputs
  analysis::Consistency consistency;  ///< readable but inconsistent inputs
  Findings findings;
  std::optional<platform::Platform> cluster;  ///< empty: not given, or unreadable

  /// All inputs are readable and consistent.
  [[nodiscard]] bool ok() const { return errors.empty() && consistency.count == 0; }
};

/// Checks the cluster, the traces, and the consistency of ranks, if the settled question specifies
/// them. An error in one input does not stop the checks of the others.
[[nodiscard]] InputCheck check(const Question& question, Watch& watch);

}  // namespace orrery::study
