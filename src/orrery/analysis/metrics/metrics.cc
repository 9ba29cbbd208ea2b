// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/metric_table.h"
#include "orrery/analysis/run_index.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/check.h"
#include "orrery/core/collective_type.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::PathCause;
using result::Run;
using result::Span;
using result::SpanKind;

Shares rank_time_shares(const Run& run, std::uint32_t rank) {
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
    for (std::uint32_t r = 0; r < run.ranks.size(); ++r)
      sum += (rank_time_shares(run, r).*part).count();
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
    sum += ratio(rank_time_shares(run, r).idle, run.step);
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
      if (span.flops <= 0 || !has_ended(span)) continue;
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

std::optional<std::uint32_t> peak_memory_rank(const Run& run) {
  std::optional<std::uint32_t> fullest;
  Bytes largest{};
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const result::MemoryCurve& memory = run.timeline(r).memory;
    if (memory.points.empty() || (fullest && memory.peak <= largest)) continue;
    fullest = r;
    largest = memory.peak;
  }
  return fullest;
}

namespace {

/// Collects metrics by their rows in the table.
class Collector {
 public:
  explicit Collector(const Run& run) : run_(run) {}

  void add(std::string_view name, double value, std::string text) {
    const MetricInfo* info = find_metric(name);
    ORRERY_CHECK(info != nullptr);
    metrics_.push_back({std::string(info->name), std::string(info->title), std::string(info->unit),
                        value, std::move(text),
                        info->is_descriptive ? std::nullopt : std::optional(info->more_is_better)});
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
    if (straggler.caused_wait <= Time{}) return;
    add("straggler", seconds(straggler.caused_wait),
        fmt::format("rank {}: others waited {} for it in total", straggler.rank,
                    format_time(straggler.caused_wait)));
  }

  void collectives() {
    const auto classes = collective_classes(run_);
    if (classes.empty() || classes.front().time <= Time{}) return;
    const CollectiveClass& largest = classes.front();
    const std::string which =
        fmt::format("{} of {} on {}", largest.type, format_bytes(largest.bytes),
                    plural(largest.members, "rank"));
    if (largest.algbw > 0) {
      add("algbw", largest.algbw,
          fmt::format("{} ({})", format_bandwidth(Bandwidth(largest.algbw)), which));
      add("busbw", largest.busbw,
          fmt::format("{} ({})", format_bandwidth(Bandwidth(largest.busbw)), which));
    }
    share("of_bound", largest.of_bound);
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
    if (const auto by_format = format_utilization(run_)) {
      share("format_hfu", by_format->hfu);
      share("format_mfu", by_format->mfu);
    }
  }

  void memory() {
    const auto rank = peak_memory_rank(run_);
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
    add("critical_ranks", summary.ranks, plural(summary.ranks, "rank"));
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
  all.add("ranks", static_cast<double>(run.ranks.size()), count(run.ranks.size()));
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

// Algorithm and bus bandwidth of single collectives and of classes.

namespace {

double bus_factor(std::string_view type, double members) {
  if (members <= 1) return 0;
  return orrery::bus_factor(collective_type(type).value_or(CollectiveType::unknown), members);
}

std::uint32_t size_of(const Run& run, const Collective& collective) {
  return collective.group < run.groups.size() ? run.groups[collective.group].size
                                              : collective.members;
}

/// Sums over the collectives of a class.
struct Sums {
  CollectiveClass all;
  Time bound{}, bounded{};  ///< bounds, and the times of the collectives that have them
  double size = 0;          ///< bytes of collectives with a speed
};

}  // namespace

std::optional<CollectiveSpeed> speed_of(const Run& run, const Collective& collective) {
  if (!collective.joined || !collective.end || *collective.end < collective.last_start)
    return std::nullopt;
  CollectiveSpeed speed;
  speed.time = *collective.end - collective.last_start;
  const double length = seconds(speed.time);
  const double members = size_of(run, collective);
  if (length > 0) {
    speed.algbw = static_cast<double>(collective.bytes.count()) / length;
    speed.busbw = speed.algbw * bus_factor(collective.type, members);
    if (collective.bound) speed.of_bound = seconds(*collective.bound) / length;
  }
  return speed;
}

namespace {

// By stored collective: waiting of members for the last one, summed over all groups that share it.
std::vector<Time> waits(const Run& run) {
  std::vector<Time> waited(run.collectives.size());
  const RunIndex index(run);
  for (std::uint32_t t = 0; t < run.timelines.size(); ++t) {
    for (const Span& span : run.timelines[t].spans) {
      if (span.kind != SpanKind::collective || span.wait <= Time{}) continue;
      for_each_collective(run, index, t, span, [&](std::uint32_t c, std::uint32_t ranks) {
        if (run.collectives[c].joined) waited[c] = saturating_sum(waited[c], span.wait, ranks);
      });
    }
  }
  return waited;
}

// Adds a collective of `groups` groups, which are all in the class. `waited`: of all groups.
void add(Sums& sums, const Run& run, const Collective& collective, Time waited,
         std::uint32_t groups) {
  CollectiveClass& all = sums.all;
  all.count += groups;
  const std::uint64_t most = ~std::uint64_t{0} - all.sent;
  all.sent += collective.sent > most / groups ? most : collective.sent * groups;
  all.waited = saturating_sum(all.waited, waited);
  const auto speed = speed_of(run, collective);
  if (!speed) {  // a collective with its recorded time has a duration, but no speed of these links
    if (!collective.joined && collective.end && *collective.end > collective.last_start)
      all.time = saturating_sum(all.time, *collective.end - collective.last_start, groups);
    return;
  }
  all.time = saturating_sum(all.time, speed->time, groups);
  sums.size += static_cast<double>(collective.bytes.count()) * groups;
  if (!collective.bound) return;
  sums.bound = saturating_sum(sums.bound, *collective.bound, groups);
  sums.bounded = saturating_sum(sums.bounded, speed->time, groups);
}

}  // namespace

std::vector<CollectiveClass> collective_classes(const Run& run, bool by_group) {
  using Key = std::tuple<std::string_view, std::uint32_t, Bytes, std::uint32_t>;
  std::map<Key, Sums> classes;
  const std::vector<Time> waited = waits(run);
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups_of;  // by first stored collective
  for (std::uint32_t g = 0; g < run.groups.size(); ++g)
    if (run.groups[g].count > 0) groups_of[run.groups[g].stored].push_back(g);
  for (const auto& [stored, groups] : groups_of) {
    const auto sharing = static_cast<std::uint32_t>(groups.size());
    for (std::uint32_t c = stored; c < stored + run.groups[groups.front()].count; ++c) {
      const Collective& collective = run.collectives[c];
      const auto sums_of = [&](std::uint32_t group) -> Sums& {
        return classes[{collective.type, size_of(run, collective), collective.bytes, group}];
      };
      if (by_group) {
        for (const std::uint32_t group : groups) {
          Sums& sums = sums_of(group);
          sums.all.group = group;
          add(sums, run, collective, Time(waited[c].count() / sharing), 1);
        }
        continue;
      }
      Sums& sums = sums_of(kNone);
      if (sums.all.count == 0) sums.all.group = groups.front();
      if (sharing > 1 || sums.all.group != groups.front()) sums.all.group = kNone;
      add(sums, run, collective, waited[c], sharing);
    }
  }
  std::vector<CollectiveClass> made;
  for (const auto& [key, sums] : classes) {
    CollectiveClass& one = made.emplace_back(sums.all);
    std::tie(one.type, one.members, one.bytes, std::ignore) = key;
    if (const double length = seconds(one.time); length > 0) {
      one.algbw = sums.size / length;
      one.busbw = one.algbw * bus_factor(one.type, one.members);
    }
    if (sums.bounded > Time{}) one.of_bound = seconds(sums.bound) / seconds(sums.bounded);
  }
  std::stable_sort(
      made.begin(), made.end(),
      [](const CollectiveClass& a, const CollectiveClass& b) { return a.time > b.time; });
  return made;
}

}  // namespace orrery::analysis
