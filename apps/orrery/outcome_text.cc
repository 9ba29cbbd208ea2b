// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "orrery/core/units.h"
#include "orrery/report/envelope.h"
#include "outcome.h"
#include "words.h"

namespace orrery::app {

using report::percent;
using report::Sheet;
using report::Style;

namespace {

Bytes bytes(std::uint64_t number) {
  return Bytes(static_cast<std::int64_t>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max())));
}

void add_times(Sheet& sheet, const Outcome& outcome, const analysis::Breakdown& step, Style style) {
  const auto part = [&](std::string_view label, Time time, const std::string& more = {}) {
    sheet.add(label,
              fmt::format("{:>7}  {:>9}{}", percent(step.share(time)), format_time(time), more));
  };
  std::string spread;
  if (step.finished > 1 && step.fastest != step.slowest.front().finish) {
    spread = fmt::format(", the first done after {}", format_time(step.fastest));
  }
  sheet.add("step time", fmt::format("{}  {}{}", style.strong(format_time(step.step)),
                                     plural(outcome.result.ranks.size(), "rank"), spread));
  part("compute", step.compute);
  std::string hidden;
  if (step.comm > step.comm_only) {
    hidden =
        fmt::format("  ({} more hides behind compute)", format_time(step.comm - step.comm_only));
  }
  part("exposed comm", step.comm_only, hidden);
  part("exposed memory", step.memory_only);
  part("idle", step.idle);
}

/// The buckets with the most bytes. Receives are the other end of sends and left out.
void add_collectives(Sheet& sheet, const Outcome& outcome) {
  std::vector<sim::CollectiveTotal> totals = outcome.result.collectives;
  std::erase_if(totals, [](const sim::CollectiveTotal& total) { return total.type == "recv"; });
  std::stable_sort(totals.begin(), totals.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  constexpr std::size_t kLines = 4;
  for (std::size_t i = 0; i < totals.size() && i < kLines; ++i) {
    const sim::CollectiveTotal& total = totals[i];
    const bool among = total.type != "send" && total.group_size != 0;
    const auto operations = static_cast<std::int64_t>(total.operations);
    sheet.add(
        i == 0 ? "communication" : "",
        fmt::format("{}{}: {} in {}, {} each", total.type,
                    among ? fmt::format(" among {}", count(total.group_size)) : "",
                    format_bytes(bytes(total.bytes)), count(total.operations),
                    format_time(operations > 0 ? Time(total.time.count() / operations) : Time{})));
  }
  if (totals.size() > kLines)
    sheet.add("", fmt::format("and {} kinds more (--json)", totals.size() - kLines));
  if (totals.empty()) sheet.add("communication", "none");
}

void add_slowest(Sheet& sheet, const analysis::Breakdown& step, std::uint32_t ranks) {
  if (step.slowest.empty()) return;
  if (step.finished == ranks && step.fastest == step.slowest.front().finish) {
    sheet.add("slowest ranks", ranks == 1 ? "one rank only" : "none: all finish together");
    return;
  }
  // Ranks that finish together stand together: "0-3 370.1 ms, 5 361 ms".
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < step.slowest.size() && shown < 3; ++shown) {
    std::vector<std::uint32_t> together;
    const Time finish = step.slowest[i].finish;
    for (; i < step.slowest.size() && step.slowest[i].finish == finish; ++i)
      together.push_back(step.slowest[i].rank);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report::ranges(together, 3),
                        format_time(finish));
  }
  sheet.add("slowest ranks", fmt::format("{} (median {})", text, format_time(step.median)));
}

/// The rank that holds most, where the trace says what is held.
void add_memory(Sheet& sheet, const Outcome& outcome) {
  const sim::RankResults& ranks = outcome.result.ranks;
  std::optional<Bytes> most;
  for (const sim::RankResult& one : ranks.simulated()) most = std::max(most, one.peak_memory);
  if (!most) return;
  std::size_t rank = 0;
  while (ranks[rank].peak_memory != most) ++rank;
  const Bytes capacity = outcome.inputs.platform.device.memory_capacity;
  std::string of;
  if (capacity.count() > 0) of = fmt::format(" of {}", format_bytes(capacity));
  sheet.add("peak memory", fmt::format("{}{} (rank {})", format_bytes(*most), of, rank));
}

void add_chain(Sheet& sheet, const Outcome& outcome) {
  const auto& chain = outcome.result.chain;
  if (chain.empty()) return;
  const ChainParts parts = chain_parts(outcome);
  std::string text = fmt::format("{}: {} compute, {} communication", plural(chain.size(), "node"),
                                 format_time(parts.compute), format_time(parts.comm));
  if (parts.memory.count() > 0) text += fmt::format(", {} memory", format_time(parts.memory));
  if (parts.wait.count() > 0) text += fmt::format(", {} waiting", format_time(parts.wait));
  sheet.add("longest chain", text);
  text = "its longest:";
  for (const std::size_t i : parts.longest) {
    const graph::Graph& graph = outcome.inputs.workload.graph(chain[i].rank);
    std::string label(graph.name(chain[i].node));
    if (label.empty()) label = fmt::format("node {}", graph.id(chain[i].node));
    text += fmt::format("{} {} {} (rank {})", i == parts.longest.front() ? "" : ",",
                        report::fit(report::printable(label), 28),
                        format_time(chain[i].end - chain[i].start), chain[i].rank);
  }
  sheet.add("", text);
}

/// How little of the work had to be done, and whether that was right.
void add_work(Sheet& sheet, const Outcome& outcome, Style style) {
  const std::size_t ranks = outcome.result.ranks.size();
  const std::string saved = savings_text(outcome.result.savings, ranks);
  if (!saved.empty()) sheet.add("simulated", saved);
  if (!outcome.verified) return;
  const std::string text = verification_text(*outcome.verified, ranks);
  sheet.add("verified", outcome.verified->difference ? style.bad(text) : text);
}

}  // namespace

std::string summary_text(const Outcome& outcome, Style style) {
  const platform::Platform& platform = outcome.inputs.platform;
  const analysis::Breakdown step = break_down(outcome, 64);
  Sheet sheet(style);
  add_times(sheet, outcome, step, style);
  add_collectives(sheet, outcome);
  add_slowest(sheet, step, static_cast<std::uint32_t>(outcome.result.ranks.size()));
  add_memory(sheet, outcome);
  add_chain(sheet, outcome);
  sheet.add("models", fmt::format("network {}; compute: {}; {} rules", network_model(platform),
                                  compute_model(platform), name(platform.rules)));
  add_work(sheet, outcome, style);
  report::add_findings(sheet, outcome.findings, style);
  return sheet.text();
}

std::string stall_text(const Outcome& outcome, Style style) {
  const sim::StallReport& stall = *outcome.result.stall;
  Sheet sheet(style);
  sheet.add(style.bad("stalled"), fmt::format("after {}: {} of {} never finish",
                                              format_time(stall.at), count(stall.unfinished_ranks),
                                              plural(outcome.result.ranks.size(), "rank")));
  if (!stall.circle.empty()) {
    std::string text;
    for (const std::string& rank : stall.circle)
      text += (text.empty() ? "" : " → ") + report::printable(rank);
    sheet.add("circle", text);
  }
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < stall.nodes.size() && i < kShown; ++i) {
    const sim::StalledNode& stalled = stall.nodes[i];
    const graph::Graph& graph = outcome.inputs.workload.graph(stalled.rank);
    const std::string label(graph.name(stalled.node));
    sheet.add(
        fmt::format("rank {}", stalled.rank),
        fmt::format(
            "node {}{}: {}", graph.id(stalled.node),
            label.empty() ? "" : fmt::format(" ({})", report::fit(report::printable(label), 40)),
            report::printable(stalled.why)));
  }
  if (stall.nodes.size() > kShown)
    sheet.add("", fmt::format("and {} more (--json)", stall.nodes.size() - kShown));
  add_work(sheet, outcome, style);
  report::add_findings(sheet, outcome.findings, style);
  return sheet.text();
}

}  // namespace orrery::app
