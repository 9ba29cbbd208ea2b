// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/savings_text.h"

#include <fmt/format.h>

#include "orrery/report/answer/number_text.h"

namespace orrery::study {

using report::count;
using report::plural;

namespace {

/// From so many ranks on, an unfolded simulation is slow: the text explains why it is unfolded.
constexpr std::size_t kManyRanks = 1024;

bool folded(const sim::Savings& savings, std::size_t ranks) {
  return savings.representatives > 0 && savings.representatives < ranks;
}

}  // namespace

std::string representatives_text(std::uint32_t representatives, std::size_t ranks) {
  return fmt::format("{} of {}", plural(representatives, "representative rank"), count(ranks));
}

std::string unfolded_text(const sim::Savings& savings, std::size_t ranks) {
  const std::uint32_t representatives = savings.inexact_representatives;
  if (representatives == 0) return savings.unfolded_reason;
  return fmt::format("{}; about {} times the work of {}", savings.unfolded_reason,
                     count(ranks / representatives), representatives_text(representatives, ranks));
}

std::string savings_text(const sim::Savings& savings, std::size_t ranks) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (folded(savings, ranks)) {
    add(representatives_text(savings.representatives, ranks));
  } else if (savings.unrecorded_representatives > 0) {
    add(fmt::format("every rank: {}; without a run file or page, {}", savings.unfolded_reason,
                    representatives_text(savings.unrecorded_representatives, ranks)));
  } else if (!savings.unfolded_reason.empty() && ranks >= kManyRanks) {
    add(fmt::format("every rank: {}", unfolded_text(savings, ranks)));
  }
  if (savings.phases_by_closed_form > 0) {
    const std::uint64_t phases = savings.phases_by_closed_form + savings.phases_by_messages;
    add(fmt::format("{}{} collective phases in closed form",
                    savings.phases_by_messages > 0
                        ? fmt::format("{} of ", count(savings.phases_by_closed_form))
                        : "all ",
                    count(phases)));
  }
  if (savings.iterations_skipped > 0)
    add(fmt::format("{} skipped", plural(savings.iterations_skipped, "iteration")));
  if (savings.parts > 1) add(fmt::format("{} in parallel", plural(savings.parts, "part")));
  return text;
}

std::string verification_text(const FoldVerification& verification, std::size_t ranks) {
  if (verification.difference) {
    return fmt::format("DIFFERENT without folding (folded, unfolded): {}",
                       *verification.difference);
  }
  if (!folded(verification.savings, ranks)) {
    const std::string why = unfolded_text(verification.savings, ranks);
    return fmt::format("nothing to compare, every rank was simulated{}{}", why.empty() ? "" : ": ",
                       why);
  }
  return fmt::format("all {} ranks are identical without folding, to the picosecond", count(ranks));
}

}  // namespace orrery::study
