// SPDX-License-Identifier: Apache-2.0
//
// What `orrery reproduce` says of a case study: text, JSON, tables for pages and sheets, a picture.
#pragma once

#include <string>
#include <vector>

#include "orrery/report/text.h"
#include "orrery/space/answer_all.h"
#include "orrery/space/beside.h"
#include "orrery/space/case_study.h"

namespace orrery::present {

struct ToldStudy {
  space::CaseStudy study;
  space::Answers answers;
  space::CaseTable table;

  /// Runs that could not be simulated.
  [[nodiscard]] std::size_t failed() const;
};

[[nodiscard]] std::string case_study_text(const ToldStudy& told, report::Style style);
[[nodiscard]] std::string case_study_json(const ToldStudy& told);
/// Every figure unrounded, a row for each run.
[[nodiscard]] std::string case_study_csv(const ToldStudy& told);
/// The tables of the text, in Markdown.
[[nodiscard]] std::string case_study_markdown(const ToldStudy& told);
/// Empty where the study has no picture.
[[nodiscard]] std::string case_study_svg(const ToldStudy& told);

/// Those that are built in, a line each.
[[nodiscard]] std::string case_studies_text(report::Style style);
[[nodiscard]] std::string case_studies_json();

}  // namespace orrery::present
