// SPDX-License-Identifier: Apache-2.0
//
// A case study's table filled in, and its figures beside those that were published.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "orrery/space/answer_all.h"
#include "orrery/space/best.h"
#include "orrery/space/case_study.h"

namespace orrery::space {

/// A published figure and ours.
struct Beside {
  const Published* figure = nullptr;
  Unit unit = Unit::ratio;
  double published = kNone;
  double ours = kNone;  ///< kNone: there is none
  std::string run;      ///< whose it is, of one or the extreme; else how many they are

  /// Ours over the published, less 1.
  [[nodiscard]] double difference() const { return ours / published - 1; }
};

struct CaseTable {
  std::vector<std::vector<double>> cells;  ///< by run, then column; kNone: nothing
  std::vector<BestRow> best;               ///< as the file asks for it
  std::vector<Beside> beside;              ///< as the file has them
};

/// `answers` are those of the study's runs.
[[nodiscard]] CaseTable fill_in(const CaseStudy& study, std::span<const Answered> answers);

}  // namespace orrery::space
