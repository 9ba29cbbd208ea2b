// SPDX-License-Identifier: Apache-2.0
//
// A case study as Markdown, CSV and SVG.
#pragma once

#include <string>

#include "addons/case_study/text/reproduce_tables.h"

namespace orrery::present {

/// Every figure unrounded, one row per run.
[[nodiscard]] std::string reproduce_csv(const Reproduction& reproduction);
/// The tables of the text, in Markdown.
[[nodiscard]] std::string reproduce_markdown(const Reproduction& reproduction);
/// Empty if the study has no picture.
[[nodiscard]] std::string reproduce_svg(const Reproduction& reproduction);

}  // namespace orrery::present
