// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_shares_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

void state_search_shares(report::Answer& answer, const std::vector<explore::SearchShare>& shares,
                         const ShareCommands& commands) {
  std::uint64_t points = 0, open = 0, finished = 0;
  for (const explore::SearchShare& share : shares) {
    points += share.points;
    open += share.open;
    finished += share.open == 0 ? 1 : 0;
  }
  answer.row("shares", "parts", shares.size(),
             fmt::format("{} of {}", count(shares.size()), plural(points, "point")));
  answer.row("finished", "finished", finished,
             fmt::format("{}; {} to evaluate", plural(finished, "share"), plural(open, "point")));
  answer.field("points", points).field("unfinished", open);
  const std::string merge = printable(commands.merge);
  answer.block(commands.script.empty()
                   ? fmt::format("All shares are finished:\n  {}\n", merge)
                   : fmt::format("Submit the shares, and merge them when they are done:\n  {}\n  "
                                 "{}\nBy hand: sh {} 3\n",
                                 printable(commands.submit), merge,
                                 printable(shell_word(commands.script))));
  answer.field("script_file", commands.script).field("manifest_file", commands.manifest);
  answer.field("submit_command", commands.submit).field("merge_command", commands.merge);
}

}  // namespace orrery::present
