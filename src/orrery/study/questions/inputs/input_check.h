// SPDX-License-Identifier: Apache-2.0
//
// Is what a question is about fit to be simulated?
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

/// Everything that was looked at.
struct InputCheck {
  struct Item {
    std::string what;  ///< "cluster", "workload", "ranks"
    std::string text;  ///< what was found to be fine
  };
  std::vector<Item> passed;
  std::vector<Error> errors;          ///< unreadable or damaged inputs
  analysis::Consistency consistency;  ///< readable inputs that do not fit together
  Findings findings;
  std::optional<platform::Platform> cluster;  ///< as it was read

  /// Everything can be read, and fits together.
  [[nodiscard]] bool ok() const { return errors.empty() && consistency.count == 0; }
};

/// Looks at the cluster, the traces, and whether ranks fit together, as far as the settled question
/// names them. What is wrong with one is no reason not to look at the other.
[[nodiscard]] InputCheck check(const Question& question, Watch& watch);

}  // namespace orrery::study
