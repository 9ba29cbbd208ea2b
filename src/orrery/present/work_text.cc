// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/work_text.h"

#include <fmt/format.h>

#include "orrery/present/words.h"

namespace orrery::present {

namespace {

/// So many are not simulated in a blink: who folds wants to know why not.
constexpr std::size_t kManyRanks = 1024;

bool folded(const sim::Savings& savings, std::size_t ranks) {
  return savings.representatives > 0 && savings.representatives < ranks;
}

}  // namespace

std::string folded_text(std::uint32_t representatives, std::size_t ranks) {
  return fmt::format("{} for all {}", plural(representatives, "rank"), count(ranks));
}

std::string savings_text(const sim::Savings& savings, std::size_t ranks) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (folded(savings, ranks)) {
    add(folded_text(savings.representatives, ranks));
  } else if (!savings.not_folded.empty() && ranks >= kManyRanks) {
    add(fmt::format("every rank: {}", savings.not_folded));
  }
  if (savings.phases_worked_out > 0) {
    const std::uint64_t phases = savings.phases_worked_out + savings.phases_by_messages;
    add(fmt::format("{}{} collective phases worked out",
                    savings.phases_by_messages > 0
                        ? fmt::format("{} of ", count(savings.phases_worked_out))
                        : "all ",
                    count(phases)));
  }
  if (savings.iterations_skipped > 0)
    add(fmt::format("{} skipped", plural(savings.iterations_skipped, "iteration")));
  if (savings.parts > 1) add(fmt::format("{} at a time", plural(savings.parts, "part")));
  return text;
}

std::string verification_text(const study::Verification& verification, std::size_t ranks) {
  if (verification.difference) {
    return fmt::format("NOT the same without folding (folded, unfolded): {}",
                       *verification.difference);
  }
  if (!folded(verification.savings, ranks)) {
    const std::string& why = verification.savings.not_folded;
    return fmt::format("nothing to compare, every rank was simulated{}{}", why.empty() ? "" : ": ",
                       why);
  }
  return fmt::format("all {} ranks are the same without folding, to the picosecond", count(ranks));
}

}  // namespace orrery::present
