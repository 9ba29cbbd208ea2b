// SPDX-License-Identifier: Apache-2.0
//
// The dozen lines that a person wants first, in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/units.h"
#include "orrery/report/html/run_page_internal.h"
#include "orrery/report/terminal_text.h"

namespace orrery::report::html {

namespace {

using analysis::Digest;
using analysis::plural_text;
using analysis::ratio;
using result::Run;
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string share(Time of, Time whole) {
  return fmt::format("{}, {} of the step", format_time(of), percent(ratio(of, whole)));
}

void add_step(Lines& lines, const Digest& digest) {
  const std::string ranks = plural_text(digest.ranks, "rank");
  if (digest.stalled)
    lines.emplace_back("Stalled",
                       fmt::format("{} of {} never finished; figures cover what ran",
                                   format_count(digest.ranks - digest.step.finished), ranks));
  std::string step = format_time(digest.step.step);
  if (digest.band)
    step += " " + analysis::interval_text(digest.step.step, digest.band->lower, digest.band->upper);
  lines.emplace_back("Step", fmt::format("{} on {}", step, ranks));
  if (!digest.band) return;
  std::string band = "80 % of true steps, by how far off the models were";
  if (digest.band->unknown > Time{})
    band += fmt::format("; nothing is known of {} of the critical path",
                        percent(ratio(digest.band->unknown, digest.step.step)));
  lines.emplace_back("In brackets", band);
}

void add_shares(Lines& lines, const analysis::Breakdown& step) {
  lines.emplace_back("Computing", share(step.compute, step.step));
  std::string comm = share(step.comm_only, step.step);
  if (step.comm > step.comm_only)
    comm += fmt::format("; {} more is hidden behind computing",
                        format_time(step.comm - step.comm_only));
  lines.emplace_back("Exposed communication", comm);
  if (step.memory_only > Time{})
    lines.emplace_back("Exposed memory access", share(step.memory_only, step.step));
  lines.emplace_back("Idle", share(step.idle, step.step));
}

void add_use(Lines& lines, const Digest& digest) {
  if (digest.bubble)
    lines.emplace_back("Pipeline bubble", percent(*digest.bubble) + " of the step");
  if (digest.yield) {
    const analysis::Throughput& speed = digest.yield->speed;
    const bool tokens = speed.tokens > 0;
    lines.emplace_back("Throughput",
                       fmt::format("{}; {} per device",
                                   analysis::rate_text(tokens ? speed.tokens : speed.samples,
                                                       tokens ? "tokens" : "samples"),
                                   format_flops(FlopRate(speed.flops))));
  }
  if (!digest.hfu && !digest.mfu) return;
  std::string text;
  if (digest.mfu) text = percent(*digest.mfu) + " of peak for the model (MFU)";
  if (digest.hfu && digest.hfu != digest.mfu)
    text +=
        fmt::format("{}{} of peak in all (HFU)", text.empty() ? "" : ", ", percent(*digest.hfu));
  lines.emplace_back("Arithmetic", text);
}

void add_collectives(Lines& lines, const std::vector<analysis::CommKind>& kinds) {
  if (kinds.empty()) return;
  const analysis::CommKind& one = kinds.front();
  const Time together = one.each * static_cast<std::int64_t>(one.count);
  std::string text = fmt::format("{} of {} among {}: {}, {} together", one.type,
                                 format_bytes(one.bytes), plural_text(one.members, "rank"),
                                 plural_text(one.count, "time"), format_time(together));
  if (one.busbw > 0)
    text += fmt::format("; bus bandwidth {}", format_bandwidth(Bandwidth(one.busbw)));
  if (one.of_bound) text += fmt::format(", {} of what the links allow", percent(*one.of_bound));
  lines.emplace_back("Costliest collective", text);
}

void add_memory(Lines& lines, const std::optional<analysis::MemoryPeak>& peak_rank) {
  if (!peak_rank) return;
  std::string text = format_bytes(peak_rank->peak);
  if (peak_rank->capacity > Bytes{}) {
    const double full = static_cast<double>(peak_rank->peak.count()) /
                        static_cast<double>(peak_rank->capacity.count());
    text += fmt::format(" of {} ({})", format_bytes(peak_rank->capacity), percent(full));
  }
  if (peak_rank->rank) text += fmt::format(" at rank {}", *peak_rank->rank);
  if (peak_rank->at) text += fmt::format(", {} into the step", format_time(*peak_rank->at));
  lines.emplace_back("Peak memory", text);
}

void add_remote_memory(Lines& lines, const std::vector<analysis::MemoryLevelUse>& levels) {
  const auto busiest = std::max_element(
      levels.begin(), levels.end(),
      [](const auto& one, const auto& other) { return one.in_use < other.in_use; });
  if (busiest == levels.end()) return;
  lines.emplace_back("Remote memory", remote_memory_text(*busiest));
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

void add_path(Lines& lines, const Digest& digest) {
  if (!digest.path || !digest.path->by_cause) return;
  const auto& by_cause = *digest.path->by_cause;
  std::array<std::size_t, result::kPathCauses> order{};
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return by_cause[a] > by_cause[b]; });
  std::string text;
  for (const std::size_t cause : order) {
    if (by_cause[cause] <= Time{}) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        percent(ratio(by_cause[cause], digest.step.step)),
                        in_words(static_cast<result::PathCause>(cause)));
  }
  if (text.empty()) return;
  lines.emplace_back("Critical path",
                     fmt::format("{}; over {}", text, plural_text(digest.path->ranks, "rank")));
  if (digest.path->longest.empty()) return;
  const analysis::PathNode& piece = digest.path->longest.front();
  lines.emplace_back(
      "Longest on it",
      fmt::format("{} at rank {}: {}, {}", piece.name.empty() ? "(no name)" : fit(piece.name, 60),
                  piece.rank, format_time(piece.end - piece.start),
                  in_words(piece.cause.value_or(result::PathCause::idle))));
}

void add_straggler(Lines& lines, const std::optional<analysis::Straggler>& one) {
  if (!one) return;
  lines.emplace_back("Waited for most",
                     fmt::format("rank {}: others waited {} for it (summed over them)", one->rank,
                                 format_time(one->caused)));
}

void add_models(Lines& lines, const Digest& digest) {
  if (digest.network.empty() && digest.compute.empty()) return;
  const auto word = [](const std::string& text) { return text.empty() ? "not stated" : text; };
  lines.emplace_back("Models", fmt::format("network: {}; compute: {}", word(digest.network),
                                           word(digest.compute)));
}

void add_findings(Lines& lines, const Findings& findings) {
  const std::vector<Finding> list = findings.list();
  std::uint64_t count = 0;
  for (const Finding& one : list) count += one.count;
  lines.emplace_back("Findings", list.empty() ? "none"
                                              : fmt::format("{} of {}", plural_text(count, "case"),
                                                            plural_text(list.size(), "kind")));
}

/// What a what-if was asked for, of the options in a run's manifest: "tp=8, gpu=b200".
std::string changes_words(std::string_view options) {
  constexpr std::string_view kChange = "--change ";
  std::string text;
  for (std::size_t at = options.find(kChange); at != options.npos; at = options.find(kChange, at)) {
    at += kChange.size();
    const std::string_view change = options.substr(at, options.find(" --", at) - at);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", change);
  }
  return text;
}

}  // namespace

std::string title(const Run& run) {
  const std::string_view workload = run.fact("workload");
  const std::string_view cluster = run.fact("cluster");
  if (workload.empty()) return "a run";
  std::string text(workload);
  if (!cluster.empty())
    text += fmt::format("{} {}", cluster == "as recorded" ? "" : " on", cluster);
  if (const std::string changes = changes_words(run.fact("options")); !changes.empty())
    text += ", with " + changes;
  return text;
}

Lines summary_lines(const Digest& digest, const Findings& findings) {
  Lines lines;
  add_step(lines, digest);
  add_shares(lines, digest.step);
  add_use(lines, digest);
  add_collectives(lines, digest.comm);
  add_memory(lines, digest.memory);
  add_remote_memory(lines, digest.remote_memory);
  add_path(lines, digest);
  add_straggler(lines, digest.waited_for);
  add_models(lines, digest);
  add_findings(lines, findings);
  return lines;
}

}  // namespace orrery::report::html
