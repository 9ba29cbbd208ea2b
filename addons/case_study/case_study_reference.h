// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace orrery::case_study {

/// The text of docs/reference/case-study.md.
[[nodiscard]] std::string case_study_reference();

/// The format as JSON Schema.
[[nodiscard]] std::string case_study_schema();

}  // namespace orrery::case_study
