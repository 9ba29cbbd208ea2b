// SPDX-License-Identifier: Apache-2.0
//
// What `orrery reproduce` says of a case study: text, JSON, tables for pages and sheets, a picture.
#pragma once

#include <string>
#include <vector>

#include "addons/case_study/case_study.h"
#include "addons/case_study/evaluate_runs.h"
#include "addons/case_study/published_comparison.h"
#include "orrery/report/terminal_text.h"

namespace orrery::present {

struct Reproduction {
  case_study::CaseStudy study;
  case_study::RunResults answers;
  case_study::CaseTable table;

  /// Runs that could not be simulated.
  [[nodiscard]] std::size_t failed() const;
};

[[nodiscard]] std::string reproduce_text(const Reproduction& reproduction, report::Style style);
[[nodiscard]] std::string reproduce_json(const Reproduction& reproduction);
/// Every figure unrounded, a row for each run.
[[nodiscard]] std::string reproduce_csv(const Reproduction& reproduction);
/// The tables of the text, in Markdown.
[[nodiscard]] std::string reproduce_markdown(const Reproduction& reproduction);
/// Empty where the study has no picture.
[[nodiscard]] std::string reproduce_svg(const Reproduction& reproduction);

/// Those that are built in, a line each.
[[nodiscard]] std::string case_studies_text(report::Style style);
[[nodiscard]] std::string case_studies_json();

}  // namespace orrery::present
