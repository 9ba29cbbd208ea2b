// SPDX-License-Identifier: Apache-2.0
//
// A question as JSON, its JSON Schema and its reference page: all from the tables in
// question_fields.h.
#pragma once

#include <string>

#include "orrery/report/json.h"
#include "orrery/study/question.h"

namespace orrery::study {

/// An object of the fields that were set and that figures follow from, by their names; parts are
/// objects in it. The same for any number of threads, folded or not.
void write_question(report::JsonWriter& json, const Question& question);

/// The JSON Schema of such an object.
[[nodiscard]] std::string question_schema();

/// docs/reference/question.md
[[nodiscard]] std::string question_reference();

}  // namespace orrery::study
