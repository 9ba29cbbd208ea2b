// SPDX-License-Identifier: Apache-2.0
//
// Questions as they are typed, and as plain data.
#pragma once

#include <string>
#include <vector>

#include "orrery/study/question.h"

namespace orrery::study_test {

struct TypedQuestion {
  std::string arguments;  ///< of `orrery run`
  study::Question question;
};

/// Thirty of every kind: workloads, clusters, rules, networks, ways to work them out, and what is
/// recorded. Paths are from the root of the project.
[[nodiscard]] std::vector<TypedQuestion> questions();

}  // namespace orrery::study_test
