// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/step_prediction.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "orrery/intake/convert/recorded_kernels.h"
#include "orrery/intake/job/job.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::study {
namespace {

using profile::OverheadBuilder;

/// Overheads of recorded ranks, by file.
using MeasuredOperations = std::map<std::string, OverheadBuilder>;

Result<MeasuredOperations> measure(const RecordedTraces& recorded, Watch& watch) {
  MeasuredOperations made;
  Findings ignored;  // the replay reads the same traces
  const auto job = read_ranks(
      recorded, [&](std::uint32_t done, std::uint32_t of) { watch.reading(done, of); }, ignored,
      [&](const intake::RankTrace& rank) { made[rank.profile.where].add(rank.profile); });
  watch.phase_done();
  if (!job) return tl::unexpected(job.error());
  return made;
}

/// Source of each rank's host times, by file.
std::map<std::string, profile::HostOverheadTimes> times_of(const MeasuredOperations& ranks,
                                                           const MeasuredOperations& given,
                                                           HostTimeSource from, bool profiled) {
  std::map<std::string, profile::HostOverheadTimes> made;
  for (const auto& [file, own] : ranks) {
    OverheadBuilder donors;
    if (from == HostTimeSource::own) donors.add_operators(own);
    for (const auto& [other, theirs] : from == HostTimeSource::given ? given : ranks)
      if (from == HostTimeSource::given || (from == HostTimeSource::other_ranks && other != file))
        donors.add_operators(theirs);
    const auto rows = profiled ? donors.recorded_rows() : donors.rows();
    const auto uses = own.recorded_rows();
    made.try_emplace(file, profile::HostOverheadTimes(rows, uses));
  }
  return made;
}

/// Predicts the kernel times of a rank with models.
class KernelPredictor {
 public:
  explicit KernelPredictor(const platform::DeviceEntry* device) : device_(device) {}

  /// Changes nothing for an unknown device.
  void predict(const profile::Profile& profile, profile::Dependencies& dependencies,
               PredictedRank& made) const {
    const platform::DeviceEntry* device = device_;
    if (device == nullptr && !profile.devices.empty())
      device = platform::find_device_by_driver(profile.devices.front().name);
    if (device == nullptr) return;
    if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
    const auto models = model::kernel_models({});
    const model::Silicon silicon = model::silicon_of(*device);
    const intake::RecordedKernels kernels(profile);
    std::unordered_map<graph::KernelId, std::optional<Time>> known;
    for (std::uint32_t node = 0; node < dependencies.nodes.size(); ++node) {
      const profile::Event& event = profile.events[dependencies.nodes[node]];
      if (event.kind != profile::Kind::kernel ||
          profile.comm(dependencies.nodes[node]) != nullptr ||
          profile::is_comm_kernel(profile.string(event.name)))
        continue;
      const graph::KernelId id = kernels.of(event.detail);
      const auto time =
          id == graph::kNoKernel ? std::nullopt : time_of(kernels, id, models, silicon, known);
      Time& cost = dependencies.cost[node];
      if (!time) {
        made.kernels_unpredicted += cost;
        continue;
      }
      made.kernels += cost;
      made.kernels_predicted += *time;
      cost = *time;
    }
  }

 private:
  static std::optional<Time> time_of(
      const intake::RecordedKernels& kernels, graph::KernelId id,
      const std::vector<model::NamedKernelModel>& models, const model::Silicon& silicon,
      std::unordered_map<graph::KernelId, std::optional<Time>>& known) {
    const auto [found, added] = known.try_emplace(id);
    if (added)
      if (const auto taken = model::choose_time(models, kernels.table()[id], silicon))
        found->second = Time(static_cast<std::int64_t>(taken->time.seconds * 1e12));
    return found->second;
  }

  const platform::DeviceEntry* device_;
};

/// Time of kernels that look up rows of embedding tables or compute their gradients, identified by
/// their own name or that of the operator that launched them, as Lin et al. do
/// (owensgroup/ml_perf_model, analysis/trace_utils.py).
Time lookups_of(const profile::Profile& profile, const profile::Dependencies& dependencies) {
  Time sum{};
  for (std::uint32_t node = 0; node < dependencies.nodes.size(); ++node) {
    const profile::EventId kernel = dependencies.nodes[node];
    if (profile.events[kernel].kind != profile::Kind::kernel) continue;
    const profile::EventId op = profile.work(kernel).op;
    for (const profile::EventId named : {kernel, op})
      if (named != profile::kNoEvent &&
          (profile.name(named).find("mbedding") != std::string::npos ||
           profile.name(named).find("SplitLookup") != std::string::npos)) {
        sum += dependencies.cost[node];
        break;
      }
  }
  return sum;
}

/// Mean over all steps; `whole` without steps.
Time mean_step(const ReplayedRank& rank, Time ReplayedStep::*of, Time whole) {
  if (rank.steps.empty()) return whole;
  Time sum{};
  for (const ReplayedStep& step : rank.steps) sum += step.*of;
  return Time(sum.count() / static_cast<std::int64_t>(rank.steps.size()));
}

Time simulated_step(const ReplayedRank& rank) {
  return mean_step(rank, &ReplayedStep::simulated, rank.simulated);
}

/// Replays the recording with some of its times predicted.
class ReplayRunner {
 public:
  ReplayRunner(const RecordedTraces& recorded,
               const std::map<std::string, profile::HostOverheadTimes>& hosts,
               KernelPredictor kernels, Watch& watch)
      : recorded_(recorded), hosts_(hosts), kernels_(kernels), watch_(watch) {}

  Result<Replay> run(bool host, bool kernels) {
    ReplayQuestion question;
    question.recorded = recorded_;
    question.adjust = [&, host, kernels](const profile::Profile& profile,
                                         profile::Dependencies& dependencies) {
      PredictedRank rank;
      const auto known = hosts_.find(profile.where);
      if (host && known != hosts_.end())
        rank.host = profile::predict_host(profile, dependencies, known->second);
      if (kernels) kernels_.predict(profile, dependencies, rank);
      if (kernels && !host) return;
      const Time lookups = lookups_of(profile, dependencies);
      const std::scoped_lock lock(mutex_);
      if (!host) {
        lookups_[profile.where] = lookups;
        return;
      }
      rank.lookups = lookups;
      rank.recorded_lookup_time = lookups_[profile.where];
      predicted_[profile.where] = std::move(rank);
    };
    return replay(question, watch_);
  }

  /// Predicted times of the rank in `file`, from the last replay.
  [[nodiscard]] PredictedRank predicted(const std::string& file) { return predicted_[file]; }

 private:
  const RecordedTraces& recorded_;
  const std::map<std::string, profile::HostOverheadTimes>& hosts_;
  KernelPredictor kernels_;
  Watch& watch_;
  std::mutex mutex_;                     // guards the members below
  std::map<std::string, Time> lookups_;  // recorded times
  std::map<std::string, PredictedRank> predicted_;
};

/// Host times for the prediction; sets their source in `made`.
Result<std::map<std::string, profile::HostOverheadTimes>> host_times(
    const StepPredictionQuestion& question, StepPrediction& made, Watch& watch) {
  auto measured = measure(question.recorded, watch);
  if (!measured) return tl::unexpected(measured.error());
  MeasuredOperations given;
  made.from = !question.overheads.empty() ? HostTimeSource::given
              : question.own              ? HostTimeSource::own
                                          : HostTimeSource::other_ranks;
  if (made.from == HostTimeSource::given) {
    RecordedTraces other_ranks = question.recorded;
    other_ranks.traces = question.overheads;
    other_ranks.rank = -1;
    auto theirs = measure(other_ranks, watch);
    if (!theirs) return tl::unexpected(theirs.error());
    given = *std::move(theirs);
  } else if (measured->size() == 1) {
    made.from = HostTimeSource::own;
  }
  return times_of(*measured, given, made.from, !question.unprofiled);
}

/// (Maximum - mean) / `of`.
double imbalance(const std::vector<Time>& times, double of) {
  double sum = 0;
  for (const Time time : times) sum += static_cast<double>(time.count());
  const Time most = *std::max_element(times.begin(), times.end());
  return (static_cast<double>(most.count()) - sum / static_cast<double>(times.size())) / of;
}

/// Lin et al., TPDS 2024: active is the time with work on any stream, `eg_comm` the exposed
/// communication, `eg_imbalance` the imbalance of lookups (owensgroup/ml_perf_model,
/// analysis/inference.py and benchmark/trace_stats.py).
DeviceShares shares_of(const std::vector<PredictedRank>& ranks,
                       profile::Breakdown PredictedRank::*parts, Time PredictedRank::*lookups) {
  DeviceShares made;
  std::vector<Time> computed, looked_up;
  double whole = 0;
  for (const PredictedRank& rank : ranks) {
    const profile::Breakdown& of = rank.*parts;
    computed.push_back(of.compute_only + of.overlapped);
    looked_up.push_back(rank.*lookups);
    whole += static_cast<double>(of.length.count());
    made.active += static_cast<double>((of.length - of.idle).count());
    made.exposed += static_cast<double>(of.comm_only.count());
  }
  if (whole <= 0) return {};
  made.active /= whole;
  made.exposed /= whole;
  const double length = whole / static_cast<double>(ranks.size());
  made.imbalance = imbalance(computed, length);
  made.lookups = imbalance(looked_up, length);
  return made;
}

}  // namespace

std::string_view name(HostTimeSource from) {
  switch (from) {
    case HostTimeSource::other_ranks:
      return "other ranks";
    case HostTimeSource::own:
      return "each rank's own";
    case HostTimeSource::given:
      return "other recordings";
  }
  return "";
}

Result<StepPrediction> predict_step(const StepPredictionQuestion& question, Watch& watch) {
  StepPrediction made;
  const auto device = catalog_device(question.device);
  if (!device) return tl::unexpected(device.error());
  made.models = question.models || *device != nullptr;
  const auto times = host_times(question, made, watch);
  if (!times) return tl::unexpected(times.error());
  ReplayRunner replays(question.recorded, *times, KernelPredictor(*device), watch);
  auto base = replays.run(false, false);
  if (!base) return tl::unexpected(base.error());
  auto host_only = replays.run(true, false);
  if (!host_only) return tl::unexpected(host_only.error());
  auto kernels_only = made.models ? replays.run(false, true) : base;
  if (!kernels_only) return tl::unexpected(kernels_only.error());
  auto both = made.models ? replays.run(true, true) : host_only;
  if (!both) return tl::unexpected(both.error());
  made.findings = base->findings;
  for (std::size_t i = 0; i < base->ranks.size(); ++i) {
    const ReplayedRank& was = base->ranks[i];
    PredictedRank rank = replays.predicted(was.file);
    rank.rank = was.rank;
    rank.file = was.file;
    rank.device = was.device;
    rank.recorded = mean_step(was, &ReplayedStep::recorded, was.recorded);
    rank.replayed = simulated_step(was);
    rank.host_only = simulated_step(host_only->ranks[i]);
    rank.kernels_only = simulated_step(kernels_only->ranks[i]);
    rank.predicted = simulated_step(both->ranks[i]);
    rank.recorded_parts = was.recorded_parts;
    rank.parts = both->ranks[i].simulated_parts;
    made.recorded = std::max(made.recorded, rank.recorded);
    made.predicted = std::max(made.predicted, rank.predicted);
    made.ranks.push_back(std::move(rank));
  }
  made.recorded_shares =
      shares_of(made.ranks, &PredictedRank::recorded_parts, &PredictedRank::recorded_lookup_time);
  made.shares = shares_of(made.ranks, &PredictedRank::parts, &PredictedRank::lookups);
  return made;
}

}  // namespace orrery::study
