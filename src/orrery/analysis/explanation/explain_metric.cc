// SPDX-License-Identifier: Apache-2.0
//
// Explains a metric with the numbers that it was computed from.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/explanation/explain_internal.h"
#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using result::PathCause;
using result::Run;

namespace {

constexpr std::size_t kShown = 5;

struct SharePart {
  std::string_view name;
  std::string_view label;
  Time Shares::*part;
};
constexpr std::array kParts = {
    SharePart{"exposed_compute", "exposed compute", &Shares::exposed_compute},
    SharePart{"overlapped", "overlapped", &Shares::overlapped},
    SharePart{"exposed_comm", "exposed communication", &Shares::exposed_comm},
    SharePart{"exposed_memory", "exposed memory", &Shares::exposed_memory},
    SharePart{"idle", "idle", &Shares::idle},
};

void show_shares(Explanation& made, const Run& run, std::string_view name) {
  const Shares mean = mean_shares(run);
  for (const SharePart& part : kParts)
    figure(made, part.label, time_and_share(mean.*part.part, run.step));
  figure(made, "sum", format_time(run.step));
  const auto* part_of_metric = std::find_if(kParts.begin(), kParts.end(),
                                            [&](const SharePart& p) { return p.name == name; });
  if (part_of_metric == kParts.end() || run.ranks.empty()) return;
  std::vector<std::pair<Time, std::uint32_t>> ranks;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r)
    ranks.emplace_back(rank_time_shares(run, r).*part_of_metric->part, r);
  std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  figure(made, "most",
         fmt::format("{} (rank {})", format_time(ranks.front().first), ranks.front().second));
  figure(made, "median", format_time(ranks[ranks.size() / 2].first));
  figure(made, "least",
         fmt::format("{} (rank {})", format_time(ranks.back().first), ranks.back().second));
}

/// Adds the error classes that contribute most to the prediction interval.
void show_band(Explanation& made, const Run& run) {
  const auto band = step_interval(run.error_classes, run.step);
  if (run.stalled) return;
  if (!band) {
    if (const std::string reason = no_interval_reason(run.error_classes, run.step); !reason.empty())
      figure(made, "80 % interval", "none: " + reason);
    return;
  }
  figure(made, "80 % interval", interval_text(run.step, band->lower, band->upper));
  std::vector<const result::ErrorClass*> order;
  for (const result::ErrorClass& one : run.error_classes)
    if (one.off) order.push_back(&one);
  const auto width = [](const result::ErrorClass* one) {
    return one->off->upper - one->off->lower;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return width(a) > width(b); });
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i) {
    const result::ErrorClass& one = *order[i];
    if (width(&one) == Time{}) break;
    const bool complete_step = one.time == Time{};
    figure(
        made, one.name,
        fmt::format("{}, {}", complete_step ? "complete step" : time_and_share(one.time, run.step),
                    error_interval_text(*one.off, complete_step ? run.step : one.time)));
  }
  if (band->unknown > Time{})
    figure(made, "without a known error",
           fmt::format("{}, {}", time_and_share(band->unknown, run.step), unknown_error_text()));
  made.paragraphs.emplace_back(
      "The step time lies in the 80 % prediction interval with a probability of 80 %, based on the "
      "known errors of the models. Errors of one model on one class of kernels or collectives are "
      "correlated along the critical path; errors of different classes are independent. Errors of "
      "the complete step are those of published steps (between sources, releases, …). Parts "
      "without a known error count as one class (docs/bands.md).");
  if (const std::string standing = provenance_text(run.time_by_provenance); !standing.empty())
    made.paragraphs.push_back("Provenance of the times on the path: " + standing + ".");
}

void show_step(Explanation& made, const Run& run) {
  show_band(made, run);
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    if (run.ranks[r].finish) order.push_back(r);
  }
  const auto finish = [&](std::uint32_t r) { return *run.ranks[r].finish; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return finish(a) > finish(b); });
  for (std::size_t i = 0; i < std::min(kShown, order.size()); ++i)
    figure(made, fmt::format("rank {} finished", order[i]), format_time(finish(order[i])));
  if (order.size() > kShown)
    figure(made, fmt::format("rank {}, the first, finished", order.back()),
           format_time(finish(order.back())));
}

void show_waits(Explanation& made, const Run& run) {
  const Stragglers found = stragglers(run);
  for (std::size_t i = 0; i < std::min(kShown, found.worst.size()); ++i) {
    const auto& pair = found.worst[i];
    figure(made, fmt::format("rank {} waited for rank {}", pair.waiter, pair.straggler),
           format_time(pair.time));
  }
  for (std::size_t i = 0; i < std::min(kShown, found.ranks.size()); ++i) {
    const Straggler& one = found.ranks[i];
    if (one.caused_wait <= Time{}) break;
    figure(made, fmt::format("waits for rank {}", one.rank),
           fmt::format("{}, last in {}", format_time(one.caused_wait),
                       plural(one.times_last, "collective")));
  }
}

void show_collectives(Explanation& made, const Run& run) {
  const auto classes = collective_classes(run);
  for (std::size_t i = 0; i < std::min(kShown, classes.size()); ++i) {
    const CollectiveClass& one = classes[i];
    std::string text =
        fmt::format("{} × in {}, {} sent, algbw {}, busbw {}", one.count, format_time(one.time),
                    bytes_text(one.sent), format_bandwidth(Bandwidth(one.algbw)),
                    format_bandwidth(Bandwidth(one.busbw)));
    if (one.of_bound) text += fmt::format(", {} of the bound", share_text(*one.of_bound));
    figure(made, fmt::format("{} {} among {}", one.type, format_bytes(one.bytes), one.members),
           std::move(text));
  }
}

void show_operations(Explanation& made, const Run& run) {
  if (run.work) {
    if (run.work->tokens > 0) figure(made, "tokens", count(run.work->tokens));
    figure(made, "samples", count(run.work->samples));
    figure(made, "model operations", fmt::format("{:.4g}", run.work->model_flops));
    figure(made, "hardware operations", fmt::format("{:.4g}", run.work->hardware_flops));
  } else {
    figure(made, "operations", fmt::format("{:.4g}", utilization(run).flops));
  }
  figure(made, "step", format_time(run.step));
  std::string peak = "unknown";
  if (run.peak_flops > 0) {
    peak = format_flops(FlopRate(run.peak_flops));
    if (!run.peak_precision.empty()) peak += fmt::format(" ({})", run.peak_precision);
  }
  figure(made, "peak per device", std::move(peak));
  if (const auto by_format = format_utilization(run)) {
    figure(made, "formats", by_format->formats);
    figure(made, "peak of the formats", format_flops(FlopRate(by_format->peak)));
    figure(made, "MFU of that peak", share_text(by_format->mfu));
    figure(made, "HFU of that peak", share_text(by_format->hfu));
  }
  figure(made, "devices", count(run.ranks.size()));
}

void show_memory(Explanation& made, const Run& run) {
  const auto rank = peak_memory_rank(run);
  if (!rank) return;
  const result::MemoryCurve& memory = run.timeline(*rank).memory;
  figure(made, "rank", std::to_string(*rank));
  if (memory.role != 0) figure(made, "role", run.names[memory.role]);
  figure(made, "when", format_time(memory.peak_at));
  Bytes shown{};
  for (std::size_t i = 0; i < std::min(kShown, memory.at_peak.size()); ++i) {
    const result::HeldTensor& held = memory.at_peak[i];
    const std::string kind = held.kind == 0 ? "" : run.names[held.kind] + " ";
    figure(made, "stores " + kind + quoted(run.names[held.name]), format_bytes(held.size));
    shown += memory.at_peak[i].size;
  }
  if (shown < memory.peak) figure(made, "all others", format_bytes(memory.peak - shown));
}

void show_path(Explanation& made, const Run& run) {
  const PathSummary summary = summarize_path(run, kShown);
  for (std::size_t cause = 0; cause < summary.by_cause.size(); ++cause) {
    if (summary.by_cause[cause] <= Time{}) continue;
    figure(made, result::name(static_cast<PathCause>(cause)),
           time_and_share(summary.by_cause[cause], run.step));
  }
  for (const std::uint32_t i : summary.longest) {
    const result::PathSegment& segment = run.path[i];
    const auto& spans = run.timeline(segment.rank).spans;
    std::string where = fmt::format("rank {}", segment.rank);
    if (segment.span < spans.size()) where += " " + node_label(run, spans[segment.span]);
    figure(made, where,
           fmt::format("{}, {}", time_and_share(segment.end - segment.start, run.step),
                       result::name(segment.cause)));
  }
}

}  // namespace

Explanation describe_metric(const MetricInfo& info) {
  Explanation made;
  made.title = fmt::format("{} ({})", info.title, info.name);
  made.paragraphs.emplace_back(info.meaning);
  made.paragraphs.push_back(fmt::format("Computed as: {}.", info.formula));
  if (info.source != "definition")
    made.paragraphs.push_back(fmt::format("Source: {}.", info.source));
  if (!info.is_descriptive)
    made.paragraphs.emplace_back(info.more_is_better ? "Higher is better." : "Lower is better.");
  if (info.of_searches) made.paragraphs.emplace_back("Only points of `orrery search` have it.");
  return made;
}

Explanation explain_metric_of(const Run& run, const MetricInfo& info) {
  Explanation made = describe_metric(info);
  const std::vector<Metric> all = metrics(run);
  const auto metric =
      std::find_if(all.begin(), all.end(), [&](const Metric& m) { return m.name == info.name; });
  if (metric == all.end()) {
    if (!info.of_searches) made.paragraphs.emplace_back("This run has no data to compute it from.");
    return made;
  }
  figure(made, info.title, metric->text);
  const std::string_view name = info.name;
  if (name == "step") {
    show_step(made, run);
  } else if (name == "bubble" || std::any_of(kParts.begin(), kParts.end(),
                                             [&](const SharePart& p) { return p.name == name; })) {
    show_shares(made, run, name);
  } else if (name == "peer_wait" || name == "peer_wait_worst" || name == "straggler") {
    show_waits(made, run);
  } else if (name == "algbw" || name == "busbw" || name == "of_bound") {
    show_collectives(made, run);
  } else if (name == "flops" || name.ends_with("hfu") || name.ends_with("mfu") ||
             name.ends_with("_rate") || name.ends_with("_rate_device")) {
    show_operations(made, run);
  } else if (name == "peak_memory") {
    show_memory(made, run);
  } else if (name.substr(0, 9) == "critical_") {
    show_path(made, run);
  }
  return made;
}

}  // namespace orrery::analysis
