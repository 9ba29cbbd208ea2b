// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "orrery/analysis/critical_path.h"
#include "orrery/analysis/metric_table.h"
#include "orrery/analysis/run_index.h"
#include "orrery/analysis/words.h"
#include "orrery/core/check.h"
#include "orrery/core/units.h"

namespace orrery::analysis {

using result::kNone;
using result::PathCause;
using result::Run;
using result::Span;
using result::SpanKind;

Shares shares_of(const Run& run, std::uint32_t rank) {
  const result::Rank& one = run.ranks[rank];
  Shares shares{one.compute_only, one.overlapped, one.comm_only, one.memory_only, {}};
  const Time busy = one.compute_only + one.overlapped + one.comm_only + one.memory_only;
  shares.idle =
      one.finish ? one.idle + (run.step - *one.finish) : std::max(Time{}, run.step - busy);
  return shares;
}

Shares mean_shares(const Run& run) {
  Shares mean;
  if (run.ranks.empty()) return mean;
  const auto average = [&](Time Shares::*part) {
    __extension__ __int128 sum = 0;
    for (std::uint32_t r = 0; r < run.ranks.size(); ++r) sum += (shares_of(run, r).*part).count();
    return Time(static_cast<std::int64_t>(sum / static_cast<std::int64_t>(run.ranks.size())));
  };
  mean.exposed_compute = average(&Shares::exposed_compute);
  mean.overlapped = average(&Shares::overlapped);
  mean.exposed_comm = average(&Shares::exposed_comm);
  mean.exposed_memory = average(&Shares::exposed_memory);
  mean.idle = std::max(Time{}, run.step - mean.exposed_compute - mean.overlapped -
                                   mean.exposed_comm - mean.exposed_memory);
  return mean;
}

std::optional<double> bubble(const Run& run) {
  std::vector<bool> sends(run.timelines.size());
  for (std::size_t t = 0; t < sends.size(); ++t) {
    const auto& spans = run.timelines[t].spans;
    sends[t] = std::any_of(spans.begin(), spans.end(), [](const Span& span) {
      return span.kind == SpanKind::send || span.kind == SpanKind::receive;
    });
  }
  double sum = 0;
  std::size_t count = 0;
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    if (!sends[run.ranks[r].timeline]) continue;
    sum += ratio(shares_of(run, r).idle, run.step);
    ++count;
  }
  if (count == 0 || run.step <= Time{}) return std::nullopt;
  return sum / static_cast<double>(count);
}

namespace {

bool says_recompute(std::string_view name) {
  constexpr std::string_view kWord = "recompute";
  return std::search(name.begin(), name.end(), kWord.begin(), kWord.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != name.end();
}

}  // namespace

Utilization utilization(const Run& run) {
  Utilization use;
  std::vector<char> again(run.names.size());
  for (std::uint32_t n = 0; n < run.names.size(); ++n)
    again[n] = says_recompute(run.names[n]) ? 1 : 0;
  std::vector<double> all(run.timelines.size()), once(run.timelines.size());
  for (std::size_t t = 0; t < all.size(); ++t) {
    for (const Span& span : run.timelines[t].spans) {
      if (span.flops <= 0 || !ended(span)) continue;
      all[t] += static_cast<double>(span.flops);
      if (span.name >= again.size() || again[span.name] == 0)
        once[t] += static_cast<double>(span.flops);
    }
  }
  double model = 0;
  for (const result::Rank& rank : run.ranks) {
    use.flops += all[rank.timeline];
    model += once[rank.timeline];
  }
  if (run.work && !run.stalled) {
    const auto speed = throughput(*run.work, run.step, run.ranks.size(), run.peak_flops);
    if (speed) std::tie(use.hfu, use.mfu) = std::tie(speed->hfu, speed->mfu);
    return use;
  }
  const double could = seconds(run.step) * run.peak_flops * static_cast<double>(run.ranks.size());
  if (use.flops <= 0 || could <= 0) return use;
  use.hfu = use.flops / could;
  use.mfu = model / could;
  return use;
}

std::optional<Throughput> throughput(const result::StepWork& work, Time step, std::size_t devices,
                                     double peak) {
  const double length = seconds(step), count = static_cast<double>(devices);
  if (length <= 0 || devices == 0) return std::nullopt;
  Throughput speed;
  speed.tokens = static_cast<double>(work.tokens) / length;
  speed.samples = static_cast<double>(work.samples) / length;
  speed.flops = work.model_flops / length / count;
  if (peak <= 0) return speed;
  speed.mfu = speed.flops / peak;
  speed.hfu = work.hardware_flops / length / count / peak;
  return speed;
}

std::optional<std::uint32_t> fullest_rank(const Run& run) {
  std::optional<std::uint32_t> fullest;
  Bytes most{};
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const result::MemoryCurve& memory = run.timeline(r).memory;
    if (memory.points.empty() || (fullest && memory.peak <= most)) continue;
    fullest = r;
    most = memory.peak;
  }
  return fullest;
}

namespace {

/// Collects metrics by their row in the table.
class Collector {
 public:
  explicit Collector(const Run& run) : run_(run) {}

  void add(std::string_view name, double value, std::string text) {
    const MetricInfo* info = find_metric(name);
    ORRERY_CHECK(info != nullptr);
    metrics_.push_back({std::string(info->name), std::string(info->title), std::string(info->unit),
                        value, std::move(text), info->more_is_better});
  }
  void time(std::string_view name, Time value) {
    add(name, seconds(value), time_and_share(value, run_.step));
  }
  void share(std::string_view name, const std::optional<double>& value) {
    if (value) add(name, *value, share_text(*value));
  }

  void waits() {
    const Stragglers waiting = stragglers(run_);
    __extension__ __int128 sum = 0;
    const Straggler* worst = nullptr;
    for (const Straggler& one : waiting.ranks) {
      sum += one.waited.count();
      if (worst == nullptr || one.waited > worst->waited ||
          (one.waited == worst->waited && one.rank < worst->rank))
        worst = &one;
    }
    if (worst == nullptr) return;
    const auto ranks = static_cast<std::int64_t>(run_.ranks.size());
    const Time mean(static_cast<std::int64_t>(sum / ranks));
    add("peer_wait", seconds(mean), format_time(mean));
    add("peer_wait_worst", seconds(worst->waited),
        fmt::format("{} (rank {})", format_time(worst->waited), worst->rank));
    const Straggler& straggler = waiting.ranks.front();
    if (straggler.caused <= Time{}) return;
    add("straggler", seconds(straggler.caused),
        fmt::format("rank {}: others waited {} for it", straggler.rank,
                    format_time(straggler.caused)));
  }

  void collectives() {
    const auto classes = collective_classes(run_);
    if (classes.empty() || classes.front().time <= Time{}) return;
    const CollectiveClass& most = classes.front();
    const std::string which = fmt::format("{} of {} on {}", most.type, format_bytes(most.bytes),
                                          counted(most.members, "rank"));
    if (most.algbw > 0) {
      add("algbw", most.algbw,
          fmt::format("{} ({})", format_bandwidth(Bandwidth(most.algbw)), which));
      add("busbw", most.busbw,
          fmt::format("{} ({})", format_bandwidth(Bandwidth(most.busbw)), which));
    }
    share("of_bound", most.of_bound);
  }

  void work() {
    if (!run_.work || run_.stalled) return;
    const auto speed = throughput(*run_.work, run_.step, run_.ranks.size(), run_.peak_flops);
    if (!speed) return;
    const auto devices = static_cast<double>(run_.ranks.size());
    if (speed->tokens > 0) {
      add("tokens_rate", speed->tokens, rate_text(speed->tokens, "tokens"));
      add("tokens_rate_device", speed->tokens / devices,
          rate_text(speed->tokens / devices, "tokens"));
    } else {
      add("samples_rate", speed->samples, rate_text(speed->samples, "samples"));
    }
    add("flops_rate_device", speed->flops, format_flops(FlopRate(speed->flops)));
  }

  void operations() {
    const Utilization use = utilization(run_);
    if (use.flops > 0) {
      std::string text = format_flops(FlopRate(use.flops));
      if (text.size() > 2 && text.ends_with("/s")) text.resize(text.size() - 2);
      add("flops", use.flops, std::move(text));
    }
    share("hfu", use.hfu);
    share("mfu", use.mfu);
  }

  void memory() {
    const auto rank = fullest_rank(run_);
    if (!rank) return;
    const Bytes peak = run_.timeline(*rank).memory.peak;
    std::string text = fmt::format("{} (rank {})", format_bytes(peak), *rank);
    if (run_.memory_capacity > Bytes{})
      text = fmt::format("{} of {} (rank {})", format_bytes(peak),
                         format_bytes(run_.memory_capacity), *rank);
    add("peak_memory", static_cast<double>(peak.count()), std::move(text));
  }

  void path() {
    if (run_.path.empty()) return;
    const PathSummary summary = summarize_path(run_, 0);
    const auto of = [&](PathCause cause) {
      return summary.by_cause[static_cast<std::size_t>(cause)];
    };
    time("critical_work", of(PathCause::work));
    time("critical_bandwidth", of(PathCause::bandwidth));
    time("critical_latency", of(PathCause::latency));
    time("critical_queue", of(PathCause::queue));
    time("critical_wait", of(PathCause::peer) + of(PathCause::idle));
    add("critical_ranks", summary.ranks, counted(summary.ranks, "rank"));
  }

  [[nodiscard]] std::vector<Metric> take() && { return std::move(metrics_); }

 private:
  const Run& run_;
  std::vector<Metric> metrics_;
};

}  // namespace

std::vector<Metric> metrics(const Run& run) {
  Collector all(run);
  all.add("step", seconds(run.step), format_time(run.step));
  all.add("ranks", static_cast<double>(run.ranks.size()),
          format_count(static_cast<std::int64_t>(run.ranks.size())));
  const Shares mean = mean_shares(run);
  all.time("exposed_compute", mean.exposed_compute);
  all.time("overlapped", mean.overlapped);
  all.time("exposed_comm", mean.exposed_comm);
  all.time("exposed_memory", mean.exposed_memory);
  all.time("idle", mean.idle);
  all.share("bubble", bubble(run));
  all.waits();
  all.collectives();
  all.work();
  all.operations();
  all.memory();
  all.path();
  return std::move(all).take();
}

}  // namespace orrery::analysis
