// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "orrery/core/units.h"
#include "orrery/report/text.h"

namespace orrery::app {

void add_recorded_options(CLI::App& command, RecordedTraces& options) {
  const char* const group = "Recorded traces";
  command
      .add_option("--traces", options.traces,
                  "Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight "
                  "SQLite, tar archives of them; any number of ranks")
      ->type_name("FILES")
      ->group(group);
  command
      .add_option("--rank", options.rank, "The rank of a single trace that does not say it itself")
      ->type_name("N")
      ->group(group);
  command.add_option("--threads", options.threads, "Read so many ranks at a time (0: all cores)")
      ->type_name("N")
      ->group(group);
  command
      .add_flag("--no-link", options.no_link,
                "Leave execution traces out where there are device traces")
      ->group(group);
  command.add_flag("--tensors", options.tensors, "Add dependencies by tensor, too")->group(group);
}

std::string ranks_of(const intake::Job& job) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(job.ranks.size());
  for (const intake::RankFiles& files : job.ranks) ranks.push_back(files.rank);
  std::string text =
      fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", report::ranges(ranks));
  if (job.world_size > ranks.size()) text += fmt::format(" of {}", format_count(job.world_size));
  return text;
}

std::string job_text(const intake::Job& job, report::Style style) {
  report::Sheet sheet(style);
  std::uint64_t communications = 0;
  for (const auto& uses : job.comms) communications += uses.size();
  const auto count = [](std::uint64_t n) { return format_count(static_cast<std::int64_t>(n)); };
  std::string comms = count(communications);
  if (communications > 0) {
    comms +=
        fmt::format(" in {} group{}", count(job.groups.size()), job.groups.size() == 1 ? "" : "s");
    if (job.ranks.size() > 1) {
      comms += fmt::format("; matched across ranks: {}", count(job.matched));
      if (job.unmatched > 0) comms += fmt::format(", not matched: {}", count(job.unmatched));
    }
    if (job.alone > 0)
      comms += fmt::format("; {} with peers whose traces are not here", count(job.alone));
  }
  sheet.add("communications", comms);
  const auto [low, high] = std::minmax_element(job.clock_offset.begin(), job.clock_offset.end());
  if (low != high && *high > *low)
    sheet.add("clocks", fmt::format("up to {} apart; aligned", format_time(*high - *low)));
  return sheet.text();
}

}  // namespace orrery::app
