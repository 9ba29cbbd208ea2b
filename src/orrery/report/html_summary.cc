// SPDX-License-Identifier: Apache-2.0
//
// The dozen lines that a person wants first, in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/analysis/critical_path.h"
#include "orrery/analysis/words.h"
#include "orrery/core/units.h"
#include "orrery/report/html_internal.h"
#include "orrery/report/text.h"

namespace orrery::report::html {

namespace {

using analysis::counted;
using analysis::ratio;
using result::Run;
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string share(Time of, Time whole) {
  return fmt::format("{}, {} of the step", format_time(of), percent(ratio(of, whole)));
}

void add_step(Lines& lines, const Run& run) {
  const std::string ranks = counted(run.ranks.size(), "rank");
  if (run.stalled) {
    const auto unfinished = std::count_if(run.ranks.begin(), run.ranks.end(),
                                          [](const result::Rank& rank) { return !rank.finish; });
    lines.emplace_back("Stalled", fmt::format("{} of {} never finished; figures cover what ran",
                                              format_count(unfinished), ranks));
  }
  lines.emplace_back("Step", fmt::format("{} on {}", format_time(run.step), ranks));
}

void add_shares(Lines& lines, const Run& run) {
  const analysis::Shares mean = analysis::mean_shares(run);
  lines.emplace_back("Computing", share(mean.exposed_compute + mean.overlapped, run.step));
  std::string comm = share(mean.exposed_comm, run.step);
  if (mean.overlapped > Time{})
    comm += fmt::format("; {} more is hidden behind computing", format_time(mean.overlapped));
  lines.emplace_back("Exposed communication", comm);
  if (mean.exposed_memory > Time{})
    lines.emplace_back("Exposed memory access", share(mean.exposed_memory, run.step));
  lines.emplace_back("Idle", share(mean.idle, run.step));
}

void add_use(Lines& lines, const Run& run) {
  if (const std::optional<double> bubble = analysis::bubble(run))
    lines.emplace_back("Pipeline bubble", percent(*bubble) + " of the step");
  if (run.work && !run.stalled) {
    const auto speed = analysis::throughput(*run.work, run.step, run.ranks.size(), run.peak_flops);
    if (speed) {
      const bool tokens = speed->tokens > 0;
      lines.emplace_back("Throughput",
                         fmt::format("{}; {} per device",
                                     analysis::rate_text(tokens ? speed->tokens : speed->samples,
                                                         tokens ? "tokens" : "samples"),
                                     format_flops(FlopRate(speed->flops))));
    }
  }
  const analysis::Utilization use = analysis::utilization(run);
  if (!use.hfu && !use.mfu) return;
  std::string text;
  if (use.mfu) text = percent(*use.mfu) + " of peak for the model (MFU)";
  if (use.hfu && use.hfu != use.mfu)
    text += fmt::format("{}{} of peak in all (HFU)", text.empty() ? "" : ", ", percent(*use.hfu));
  lines.emplace_back("Arithmetic", text);
}

void add_collectives(Lines& lines, const RunFacts& facts) {
  if (facts.classes.empty()) return;
  const analysis::CollectiveClass& one = facts.classes.front();
  std::string text =
      fmt::format("{} of {} among {}: {}, {} together", one.type, format_bytes(one.bytes),
                  counted(one.members, "rank"), counted(one.count, "time"), format_time(one.time));
  if (one.busbw > 0)
    text += fmt::format("; bus bandwidth {}", format_bandwidth(Bandwidth(one.busbw)));
  if (one.of_bound) text += fmt::format(", {} of what the links allow", percent(*one.of_bound));
  lines.emplace_back("Costliest collective", text);
}

void add_memory(Lines& lines, const Run& run) {
  const std::optional<std::uint32_t> rank = analysis::fullest_rank(run);
  if (!rank) return;
  const result::MemoryCurve& curve = run.timeline(*rank).memory;
  std::string text = format_bytes(curve.peak);
  if (run.memory_capacity > Bytes{}) {
    const double full =
        static_cast<double>(curve.peak.count()) / static_cast<double>(run.memory_capacity.count());
    text += fmt::format(" of {} ({})", format_bytes(run.memory_capacity), percent(full));
  }
  lines.emplace_back("Peak memory", fmt::format("{} at rank {}, {} into the step", text, *rank,
                                                format_time(curve.peak_at)));
}

std::string_view in_words(result::PathCause cause) {
  switch (cause) {
    case result::PathCause::work:
      return "computing and memory";
    case result::PathCause::bandwidth:
      return "bandwidth";
    case result::PathCause::latency:
      return "latency";
    case result::PathCause::queue:
      return "queues";
    case result::PathCause::peer:
      return "waiting for peers";
    case result::PathCause::idle:
      return "unexplained";
  }
  return "unexplained";
}

void add_path(Lines& lines, const Run& run) {
  const analysis::PathSummary path = analysis::summarize_path(run, 1);
  std::array<std::size_t, result::kPathCauses> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return path.by_cause[a] > path.by_cause[b];
  });
  std::string text;
  for (const std::size_t cause : order) {
    if (path.by_cause[cause] <= Time{}) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        percent(ratio(path.by_cause[cause], run.step)),
                        in_words(static_cast<result::PathCause>(cause)));
  }
  if (text.empty()) return;
  lines.emplace_back("Critical path",
                     fmt::format("{}; over {}", text, counted(path.ranks, "rank")));
  const result::PathSegment& longest = run.path[path.longest.at(0)];
  const std::vector<result::Span>& spans = run.timeline(longest.rank).spans;
  const std::string name =
      longest.span < spans.size() ? run.names[spans[longest.span].name] : std::string();
  lines.emplace_back(
      "Longest on it",
      fmt::format("{} at rank {}: {}, {}", name.empty() ? "(no name)" : fit(name, 60), longest.rank,
                  format_time(longest.end - longest.start), in_words(longest.cause)));
}

void add_straggler(Lines& lines, const RunFacts& facts) {
  const auto& ranks = facts.stragglers.ranks;
  if (ranks.empty() || ranks.front().caused <= Time{}) return;
  lines.emplace_back("Waited for most",
                     fmt::format("rank {}: others waited {} for it (summed over them)",
                                 ranks.front().rank, format_time(ranks.front().caused)));
}

void add_models(Lines& lines, const Run& run) {
  const std::string_view network = run.fact("network_model");
  const std::string_view compute = run.fact("compute_model");
  if (network.empty() && compute.empty()) return;
  lines.emplace_back(
      "Models", fmt::format("network: {}; compute: {}", network.empty() ? "not stated" : network,
                            compute.empty() ? "not stated" : compute));
}

void add_findings(Lines& lines, const Run& run) {
  const std::vector<Finding> list = run.findings.list();
  std::uint64_t count = 0;
  for (const Finding& one : list) count += one.count;
  lines.emplace_back("Findings", list.empty() ? "none"
                                              : fmt::format("{} of {}", counted(count, "case"),
                                                            counted(list.size(), "kind")));
}

}  // namespace

std::string title(const Run& run) {
  const std::string_view workload = run.fact("workload");
  const std::string_view cluster = run.fact("cluster");
  if (workload.empty()) return "a run";
  return cluster.empty() ? std::string(workload) : fmt::format("{} on {}", workload, cluster);
}

Lines summary_lines(const RunFacts& facts) {
  const Run& run = facts.run;
  Lines lines;
  add_step(lines, run);
  add_shares(lines, run);
  add_use(lines, run);
  add_collectives(lines, facts);
  add_memory(lines, run);
  add_path(lines, run);
  add_straggler(lines, facts);
  add_models(lines, run);
  add_findings(lines, run);
  return lines;
}

}  // namespace orrery::report::html
