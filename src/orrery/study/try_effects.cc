// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "orrery/study/outcome.h"

namespace orrery::study {

Result<void> try_effects(Outcome& outcome) {
  if (outcome.result.stall) return {};
  Watch nobody;
  for (const Effect& effect : effects()) {
    Question question = outcome.question;
    std::vector<std::string>& without = question.without;
    if (std::find(without.begin(), without.end(), effect.name) != without.end()) continue;
    without.emplace_back(effect.name);
    question.record = false;
    question.work.verify_fold = false;
    question.work.brief_names = true;
    Findings unheard;  // they are those of the whole step
    const auto told = answer(std::move(question), nobody, unheard);
    if (!told) return tl::unexpected(told.error());
    outcome.effects.push_back({effect.name, told->result.end});
  }
  return {};
}

}  // namespace orrery::study
