// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/simulation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/core/system/sha256.h"
#include "orrery/core/text/text.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/study/jobs/expanded_cluster.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/inputs/inputs.h"

namespace orrery::case_study {

namespace {

using graph::CollectiveType;

/// Increase it when the meaning of stored values changes.
constexpr std::string_view kForm = "3";

struct Exchange {
  CollectiveType type = CollectiveType::all_reduce;
  CollectiveSpec asked;
};

Result<Exchange> read_exchange(const Json& tree, const std::string& where) {
  Exchange read;
  config::Reading reading{where};
  config::read_value(tree, "/collective", {}, read.asked, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  const auto type = collective_type(read.asked.type, where + ":/collective/type");
  if (!type) return tl::unexpected(type.error());
  read.type = *type;
  return read;
}

/// Groups of consecutive ranks, which all run the same collective concurrently.
Result<graph::Workload> workload_of(const Exchange& exchange, std::uint32_t ranks,
                                    const std::string& where) {
  const auto each = exchange.asked.group == 0 ? static_cast<std::int64_t>(ranks)  //
                                              : exchange.asked.group;
  if (each < 2 || static_cast<std::int64_t>(ranks) % each != 0)
    return fail(Errc::config_conflict, where + ":/collective/group",
                fmt::format("{} ranks are not a multiple of the group size {}", ranks, each));
  std::vector<std::vector<std::uint32_t>> groups(ranks / static_cast<std::uint32_t>(each));
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    groups[rank / static_cast<std::uint32_t>(each)].push_back(rank);
  graph::Collective collective;
  collective.type = exchange.type;
  // For an all-gather, nodes state the input of a rank.
  const bool shard = exchange.type == CollectiveType::all_gather;
  collective.size = shard ? Bytes(exchange.asked.size.count() / each) : exchange.asked.size;
  return study::concurrent_collectives(collective, groups, ranks);
}

Result<study::Outcome> simulate_collective(const GridRun& run, const study::Question& question,
                                           const std::string& where, Findings& findings) {
  const auto exchange = read_exchange(run.collective, where);
  if (!exchange) return tl::unexpected(exchange.error());
  auto cluster = study::read_cluster(question, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  auto workload = workload_of(*exchange, cluster->ranks, where);
  if (!workload) return tl::unexpected(workload.error());
  study::Inputs inputs;
  inputs.cluster = std::make_shared<const study::Cluster>(*std::move(cluster));
  inputs.load = std::make_shared<const study::Load>(
      study::Load{*std::move(workload), exchange->asked.type, nullptr});
  study::Watch ignored_watch;
  return study::simulate(question, std::move(inputs), ignored_watch, findings);
}

/// The total bandwidth of a rank over all dimensions, bytes/s.
double rate_of(const platform::Platform& platform) {
  double rate = 0;
  for (const platform::Dimension& dim : platform.dims) {
    const bool full = dim.block == platform::Block::fully_connected;
    rate += dim.bandwidth.count() * (full ? static_cast<double>(dim.size - 1) : 1);
  }
  return rate;
}

double picoseconds(Time time) { return static_cast<double>(time.count()); }

/// Adds the memory of the role with the largest peak, by category.
void add_memory(const study::Outcome& outcome, MetricValues& values) {
  const workload::RoleMemory* fullest = outcome.job->fullest();
  if (fullest == nullptr) return;
  const auto put = [&](RunMetric metric, std::int64_t bytes) {
    values[metric] = static_cast<double>(bytes);
  };
  put(RunMetric::peak_memory, fullest->peak);
  put(RunMetric::weights, fullest->weights);
  put(RunMetric::gradients, fullest->gradients);
  put(RunMetric::optimizer, fullest->optimizer);
  put(RunMetric::activations,
      fullest->peak - fullest->weights - fullest->gradients - fullest->optimizer);
  put(RunMetric::needed, fullest->total());
  const platform::Device& device = outcome.platform().device;
  if (const Bytes has = study::usable_total_memory(device); has > Bytes{})
    put(RunMetric::capacity, has.count());
  values[RunMetric::remote_share] = study::expanded_share(*outcome.inputs.load->program, device);
}

/// Adds exposed communication by the group names of generated jobs.
void add_exposed(const study::Outcome& outcome, MetricValues& values) {
  double tensor = 0, data = 0, other = 0;
  for (const sim::ExposedGroup& one : outcome.result.exposed) {
    const bool shares_batch = one.group.starts_with("dp") || one.group == "edp";
    (one.group == "tp" || one.group == "etp" ? tensor
     : shares_batch                          ? data
                                             : other) += picoseconds(one.time);
  }
  values[RunMetric::exposed_tensor] = tensor;
  values[RunMetric::exposed_data] = data;
  values[RunMetric::exposed_other] = other;
}

void add_job(const study::Outcome& outcome, MetricValues& values) {
  if (!outcome.job) return;
  add_memory(outcome, values);
  add_exposed(outcome, values);
  values[RunMetric::device_time] =
      picoseconds(outcome.result.end) * static_cast<double>(outcome.result.ranks.size());
  const auto speed =
      analysis::throughput(outcome.job->work, outcome.result.end, outcome.result.ranks.size(), 0);
  if (speed) values[RunMetric::flops] = speed->flops;
}

void add_bus_bandwidth(const study::Outcome& outcome, const GridRun& run, MetricValues& values) {
  if (run.collective.is_null() || outcome.result.end.count() <= 0) return;
  const auto exchange = read_exchange(run.collective, "");
  if (!exchange) return;
  const auto ranks = static_cast<std::int32_t>(outcome.result.ranks.size());
  const auto members =
      exchange->asked.group == 0 ? ranks : static_cast<std::int32_t>(exchange->asked.group);
  const calibrate::Collective* named = calibrate::find_collective(exchange->asked.type);
  const double seconds = picoseconds(outcome.result.end) * 1e-12;
  values[RunMetric::bus_bandwidth] = static_cast<double>(exchange->asked.size.count()) / seconds *
                                     calibrate::bus_factor(*named, members).lower;
}

}  // namespace

Result<CollectiveType> collective_type(const std::string& word, const std::string& where) {
  const calibrate::Collective* named = calibrate::find_collective(word);
  const auto& types = platform::kPlannedTypes;
  if (named != nullptr && std::find(types.begin(), types.end(), named->type) != types.end())
    return named->type;
  return fail(Errc::config_range, where, fmt::format("{} is not a collective", in_quotes(word)),
              "use all_reduce, all_gather, reduce_scatter or all_to_all");
}

std::string digest(const GridRun& run) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", kForm, run.cluster.dump(), run.job.dump(),
                                 run.collective.dump());
  for (const Json* asked : {&run.split, &run.calculon})
    if (!asked->is_null()) text += asked->dump() + "\n";
  return sha256_of(text);
}

Result<study::Outcome> simulate(const GridRun& run, const std::string& where) {
  study::Question question;
  question.cluster = where;
  question.cluster_text = run.cluster.dump();
  if (!run.job.is_null()) question.job.texts = {{where + " (job)", run.job.dump()}};
  question.work.brief_names = true;
  question.exposed_by_group = !run.job.is_null();
  Findings findings;
  if (auto settled = study::settle(question); !settled) return tl::unexpected(settled.error());
  study::Watch ignored_watch;
  auto outcome = run.job.is_null() ? simulate_collective(run, question, where, findings)
                                   : study::answer(question, ignored_watch, findings);
  if (outcome && outcome->result.stall)
    return fail(Errc::stall, where, "the run deadlocks",
                "`orrery run` with the same cluster and job prints which ranks wait");
  return outcome;
}

MetricValues values_of(const study::Outcome& outcome, const GridRun& run) {
  MetricValues values;
  const sim::RankResult& last = outcome.result.ranks.last();
  values[RunMetric::time] = picoseconds(outcome.result.end);
  values[RunMetric::compute] = picoseconds(last.compute);
  values[RunMetric::communication] = picoseconds(last.comm);
  values[RunMetric::exposed] = picoseconds(last.comm_only);
  values[RunMetric::memory] = picoseconds(last.memory_only);
  values[RunMetric::idle] = picoseconds(last.idle);
  values[RunMetric::sent] = static_cast<double>(last.sent_bytes);
  const double rate = rate_of(outcome.platform());
  if (rate > 0) {
    values[RunMetric::ideal] = std::round(static_cast<double>(last.sent_bytes) / rate * 1e12);
    if (outcome.result.end.count() > 0)
      values[RunMetric::utilization] = values[RunMetric::ideal] / values[RunMetric::time];
  }
  add_job(outcome, values);
  add_bus_bandwidth(outcome, run, values);
  for (const Finding& finding : outcome.findings.list()) {
    const FindingInfo about = describe(finding.code);
    std::string text = fmt::format("{}: {}", about.name, about.sentence);
    if (!finding.places.empty()) text += fmt::format(" ({})", finding.places.front());
    values.findings.push_back(std::move(text));
  }
  return values;
}

}  // namespace orrery::case_study
