// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_shares_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

namespace {

struct ShareTotals {
  std::uint64_t points = 0, open = 0, finished = 0;
};

ShareTotals totals_of(const std::vector<explore::SearchShare>& shares) {
  ShareTotals totals;
  for (const explore::SearchShare& share : shares) {
    totals.points += share.points;
    totals.open += share.open;
    totals.finished += share.open == 0 ? 1 : 0;
  }
  return totals;
}

}  // namespace

std::string search_shares_text(const std::vector<explore::SearchShare>& shares,
                               const ShareCommands& commands, report::Style style) {
  const ShareTotals totals = totals_of(shares);
  report::Sheet sheet(style);
  sheet.add("shares",
            fmt::format("{} of {}", count(shares.size()), plural(totals.points, "point")));
  sheet.add("finished", fmt::format("{}; {} to be looked at", plural(totals.finished, "share"),
                                    plural(totals.open, "point")));
  std::string text = sheet.text() + "\n";
  if (commands.script.empty())
    return text + fmt::format("All shares are finished:\n  {}\n", printable(commands.merge));
  return text + fmt::format(
                    "Submit the shares, and when they are done put them together:\n  {}\n  "
                    "{}\nBy hand: sh {} 3\n",
                    printable(commands.submit), printable(commands.merge),
                    printable(shell_word(commands.script)));
}

std::string search_shares_json(const std::vector<explore::SearchShare>& shares,
                               const ShareCommands& commands) {
  const ShareTotals totals = totals_of(shares);
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("parts", static_cast<std::uint64_t>(shares.size()))
        .field("finished", totals.finished)
        .field("points", totals.points)
        .field("unfinished", totals.open)
        .field("script_file", commands.script)
        .field("manifest_file", commands.manifest)
        .field("submit_command", commands.submit)
        .field("merge_command", commands.merge)
        .end_object();
  });
}

}  // namespace orrery::present
