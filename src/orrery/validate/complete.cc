// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "orrery/validate/points_internal.h"

namespace orrery::validate {

void complete(MeasuredPoint& point, const PointFacts& facts) {
  if (point.why_not.empty() && point.seconds == 0) point.why_not = "no step was measured";
  if (point.why_not.empty() && !point.question.job.given()) point.why_not = "no job is described";
  if (!point.why_not.empty()) return;
  if (facts.prec == "fp8" || facts.prec == "fp4") {
    // What the job says of it itself stands.
    std::vector<std::string>& set = point.question.job.set;
    const auto is_products = [](const std::string& one) {
      return one.starts_with("precision.products=");
    };
    if (!facts.says_products && std::none_of(set.begin(), set.end(), is_products))
      set.push_back("precision.products=" + facts.prec);
  }
  if (!point.question.cluster_text.empty()) return;
  if (!facts.cluster.empty()) {
    point.question.cluster = facts.cluster;
    return;
  }
  auto text = sketch_text(facts.sketch, point.place);
  if (!text) {
    point.why_not = text.error().what;
    return;
  }
  point.question.cluster = point.place;
  point.question.cluster_text = *std::move(text);
}

}  // namespace orrery::validate
