// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/run_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/present/diff_text.h"
#include "orrery/present/memory_text.h"
#include "orrery/present/run_summary.h"
#include "orrery/present/words.h"
#include "orrery/present/work_text.h"
#include "orrery/report/envelope.h"
#include "orrery/study/models.h"

namespace orrery::present {

using report::percent;
using report::Sheet;
using report::Style;
using study::Outcome;

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

void add_throughput(Sheet& sheet, const Outcome& outcome) {
  const auto speed = outcome.throughput();
  if (!speed) return;
  const platform::Device& device = outcome.platform().device;
  for (const auto& [label, text] :
       throughput_lines(*speed, outcome.result.ranks.size(), device.rated, device.precision))
    sheet.add(label, text);
}

/// The buckets with the most bytes. Receives are the other end of sends and left out.
void add_collectives(Sheet& sheet, const Outcome& outcome, bool all) {
  std::vector<sim::CollectiveTotal> totals = outcome.result.collectives;
  std::erase_if(totals, [](const sim::CollectiveTotal& total) { return total.type == "recv"; });
  std::stable_sort(totals.begin(), totals.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  const std::size_t lines = all ? totals.size() : 4;
  for (std::size_t i = 0; i < totals.size() && i < lines; ++i) {
    const sim::CollectiveTotal& total = totals[i];
    const bool among = total.type != "send" && total.group_size != 0;
    const auto operations = static_cast<std::int64_t>(total.operations);
    const Time each = operations > 0 ? Time(total.time.count() / operations) : Time{};
    std::string text = total.type;
    if (among) text += fmt::format(" among {}", count(total.group_size));
    text += fmt::format(": {}, ", format_bytes(bytes(total.bytes)));
    if (total.type != "send") text += fmt::format("{} sent, ", format_bytes(bytes(total.sent)));
    text += fmt::format("{} x {}", count(total.operations), format_time(each));
    sheet.add(i == 0 ? "communication" : "", text);
  }
  if (totals.size() > lines)
    sheet.add("", fmt::format("and {} kinds more (--all)", totals.size() - lines));
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

/// What its model and plan say that the fullest ranks hold, and whether a device has as much.
void add_accounted(Sheet& sheet, const Outcome& outcome, Style style) {
  const workload::RoleMemory* most = outcome.job->fullest();
  if (most == nullptr) return;
  const std::int64_t capacity = outcome.platform().device.memory_capacity.count();
  std::string text = gigabytes(most->peak);
  if (capacity > 0) text += fmt::format(" of {}", gigabytes(capacity));
  text += fmt::format(" ({})", outcome.inputs.load->program->roles[most->role].name);
  if (capacity > 0 && most->peak > capacity)
    text += ": " + style.bad(gigabytes(most->peak - capacity) + " too much");
  sheet.add("peak memory", text);
}

/// The rank that holds most, where the trace says what is held.
void add_memory(Sheet& sheet, const Outcome& outcome, Style style) {
  if (outcome.job) return add_accounted(sheet, outcome, style);
  const sim::RankResults& ranks = outcome.result.ranks;
  std::optional<Bytes> most;
  for (const sim::RankResult& one : ranks.simulated()) most = std::max(most, one.peak_memory);
  if (!most) return;
  std::size_t rank = 0;
  while (ranks[rank].peak_memory != most) ++rank;
  const Bytes capacity = outcome.platform().device.memory_capacity;
  std::string of;
  if (capacity.count() > 0) of = fmt::format(" of {}", format_bytes(capacity));
  sheet.add("peak memory", fmt::format("{}{} (rank {})", format_bytes(*most), of, rank));
}

void add_chain(Sheet& sheet, const Outcome& outcome) {
  const auto& chain = outcome.result.chain;
  if (chain.empty()) return;
  const study::ChainParts parts = chain_parts(outcome);
  std::string text = fmt::format("{}: {} compute, {} communication", plural(chain.size(), "node"),
                                 format_time(parts.compute), format_time(parts.comm));
  if (parts.memory.count() > 0) text += fmt::format(", {} memory", format_time(parts.memory));
  if (parts.wait.count() > 0) text += fmt::format(", {} waiting", format_time(parts.wait));
  sheet.add("longest chain", text);
  text = "its longest:";
  for (const std::size_t i : parts.longest) {
    const graph::Graph& graph = outcome.workload().graph(chain[i].rank);
    std::string label(graph.name(chain[i].node));
    if (label.empty()) label = fmt::format("node {}", graph.id(chain[i].node));
    text += fmt::format("{} {} {} (rank {})", i == parts.longest.front() ? "" : ",",
                        report::fit(printable(label), 28),
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

std::string summary_text(const Outcome& outcome, Style style, bool all) {
  const platform::Platform& platform = outcome.platform();
  const analysis::Breakdown step = break_down(outcome, 64);
  Sheet sheet(style);
  add_times(sheet, outcome, step, style);
  add_throughput(sheet, outcome);
  add_collectives(sheet, outcome, all);
  add_slowest(sheet, step, static_cast<std::uint32_t>(outcome.result.ranks.size()));
  add_memory(sheet, outcome, style);
  add_chain(sheet, outcome);
  sheet.add("models",
            fmt::format("network {}; compute: {}; {} rules", study::network_model(platform),
                        study::compute_model(platform), study::name(platform.rules)));
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
      text += (text.empty() ? "" : " → ") + printable(rank);
    sheet.add("circle", text);
  }
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < stall.nodes.size() && i < kShown; ++i) {
    const sim::StalledNode& stalled = stall.nodes[i];
    const graph::Graph& graph = outcome.workload().graph(stalled.rank);
    const std::string label(graph.name(stalled.node));
    sheet.add(
        fmt::format("rank {}", stalled.rank),
        fmt::format("node {}{}: {}", graph.id(stalled.node),
                    label.empty() ? "" : fmt::format(" ({})", report::fit(printable(label), 40)),
                    printable(stalled.why)));
  }
  if (stall.nodes.size() > kShown)
    sheet.add("", fmt::format("and {} more (--json)", stall.nodes.size() - kShown));
  add_work(sheet, outcome, style);
  report::add_findings(sheet, outcome.findings, style);
  return sheet.text();
}

}  // namespace orrery::present
