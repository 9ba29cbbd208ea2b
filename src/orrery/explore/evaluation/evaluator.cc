// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluation/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "orrery/core/system/sha256.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/explore/plans/column_estimate.h"
#include "orrery/explore/plans/fitted_plan.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/jobs/expanded_cluster.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::explore {

namespace {

/// Increase when the meaning of figures changes.
constexpr std::string_view kDigestVersion = "2";
/// Maximum number of cached clusters of an evaluator.
constexpr std::size_t kClusters = 512;

/// The value in the file, else `otherwise`.
Result<double> rate_of(const Json& rates, const char* pointer, double otherwise, double least,
                       const SearchSpace& space) {
  const Json& value = rates.at(Json::json_pointer(pointer));
  if (value.is_null()) return otherwise;
  const bool fine =
      value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= least;
  if (fine) return value.get<double>();
  return fail(Errc::config_range, space.where + ":" + pointer,
              fmt::format("{} is not a number of at least {}", plain_text(value), least));
}

constexpr const char* kFillsCluster = "fills-cluster";

/// The rule that a job violates, according to an error; empty: another error.
std::string broken_rule(const Error& error) {
  if (error.hint.starts_with("rule ")) return rule_of(error);
  return error.code == Errc::config_conflict && error.where == kFillsCluster ? kFillsCluster : "";
}

}  // namespace

std::string named_cluster(const std::string& text, const std::string& where) {
  if (!is_file_path(text)) return text;
  return (std::filesystem::path(where).parent_path() / text).string();
}

Result<PointSpec> spec_at(const SearchSpace& space, const Coordinates& at) {
  const auto lookup = space.lookup(at);
  auto cluster = space.cluster.value(lookup);
  if (!cluster) return tl::unexpected(cluster.error());
  auto job = space.job.value(lookup);
  if (!job) return tl::unexpected(job.error());
  return PointSpec{*std::move(cluster), *std::move(job)};
}

Result<Rates> rates_at(const SearchSpace& space, const Coordinates& at) {
  const auto found = space.prices.value(space.lookup(at));
  if (!found) return tl::unexpected(found.error());
  const auto device = rate_of(*found, "/prices/device", 1, 0, space);
  const auto energy = rate_of(*found, "/prices/energy", 0, 0, space);
  const auto power = rate_of(*found, "/power/device", -1, 0, space);
  const auto per_device_extra = rate_of(*found, "/power/extra", 0, 0, space);
  const auto overhead = rate_of(*found, "/power/overhead", 1, 1, space);
  for (const auto* one : {&device, &energy, &power, &per_device_extra, &overhead})
    if (!*one) return tl::unexpected(one->error());
  Rates rates{*device, *energy, std::nullopt, *per_device_extra, *overhead};
  if (*power >= 0) rates.device_power = *power;
  return rates;
}

std::string digest(const SearchSpace& space, const PointSpec& asked, Evaluation evaluation) {
  const std::string by = evaluation == Evaluation::columns
                             ? "columns"
                             : fmt::format("{}", evaluation == Evaluation::simulate);
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n", kDigestVersion, by, asked.cluster.dump(), asked.job.dump());
  for (const std::string& word : space.file.recompute) text += word + "\n";
  return sha256_of(text);
}

Result<Evaluator::CachedCluster*> Evaluator::cluster_of(const Json& asked) {
  const std::string key = asked.dump();
  auto found = clusters_.find(key);
  if (found == clusters_.end()) {
    study::Question question;
    question.cluster = asked.is_string() ? named_cluster(asked.get<std::string>(), space_.where)
                                         : space_.where + " (cluster)";
    if (!asked.is_string()) question.cluster_text = key;
    Findings ignored_findings;
    const FileReadRecorder read_files;
    auto read = study::read_cluster(question, ignored_findings);
    if (!read) return tl::unexpected(read.error());
    if (clusters_.size() >= kClusters)  // evicts the least recently used
      clusters_.erase(std::min_element(
          clusters_.begin(), clusters_.end(),
          [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; }));
    auto cluster = std::make_shared<const study::Cluster>(*std::move(read));
    auto costs = std::make_unique<estimate::OpCosts>(cluster);
    found = clusters_
                .emplace(
                    key,
                    CachedCluster{std::move(cluster), std::move(costs), read_files.hashes(), 0, {}})
                .first;
  }
  found->second.asked = ++asked_;
  files_.insert(found->second.files.begin(), found->second.files.end());
  return &found->second;
}

Result<workload::Spec> Evaluator::spec_of(const Json& job, const study::Cluster& cluster) {
  study::JobDescription description;
  description.texts = {{space_.where + " (job)", job.dump()}};
  Findings ignored_findings;
  study::ClusterSize size = study::size_of(cluster.platform, kFillsCluster);
  size.devices = cluster.ranks;
  return study::specify(description, size, ignored_findings);
}

Result<PointPrediction> Evaluator::time(const workload::Program& program, CachedCluster& known,
                                        PointPrediction predicted, Evaluation evaluation) {
  if (const auto counted = workload::count(program)) {
    predicted.model_flops = workload::to_double(counted->flops.model());
    predicted.work_by_format = study::work_by_format(*counted, known.cluster->platform.device);
    if (workload::has_tokens(program.spec)) predicted.tokens = counted->tokens;
  }
  predicted.samples = program.spec.global_batch();
  if (evaluation == Evaluation::simulate) {
    const auto step = simulate_plan(program, known.cluster);
    if (!step) return tl::unexpected(step.error());
    predicted.step = step->end.count();
    predicted.interval = step->interval;
    predicted.no_interval_reason = step->no_interval_reason;
    PartShares& shares = predicted.shares.emplace();
    for (std::size_t i = 0; predicted.step > 0 && i < shares.size(); ++i)
      shares[i] = static_cast<double>(step->parts[i].count()) / static_cast<double>(predicted.step);
  } else {
    if (auto fine = estimate::check_estimable(program); !fine) {
      predicted.state = State::needs_simulation;
      predicted.why = fine.error().what;
      return predicted;
    }
    const auto held = study::with_expanded_memory(program, known.cluster);
    std::optional<estimate::OpCosts> own;  // memory expansion depends on the plan
    if (held != known.cluster) own.emplace(held);
    const auto step = estimate::estimate_program(program, own ? *own : *known.costs);
    if (!step) return tl::unexpected(step.error());
    predicted.step = step->count();
  }
  predicted.state = State::fits;
  return predicted;
}

Result<PointPrediction> Evaluator::predict_point(const PointSpec& asked, Evaluation evaluation) {
  const auto known = cluster_of(asked.cluster);
  if (!known) return tl::unexpected(known.error());
  const platform::Device& device = (*known)->cluster->platform.device;
  PointPrediction predicted;
  predicted.state = State::illegal;
  predicted.devices = (*known)->cluster->ranks;
  predicted.peak = device.rated.count();
  predicted.capacity = study::usable_total_memory(device);
  if (const platform::DeviceEntry* entry = platform::find_device(device.entry))
    predicted.device_power = entry->power_w;
  if (evaluation == Evaluation::columns) {
    auto estimated = predict_in_columns(asked, **known, predicted);
    if (!estimated) return tl::unexpected(estimated.error());
    if (*estimated) return **std::move(estimated);
  }
  auto spec = spec_of(asked.job, *(*known)->cluster);
  if (!spec) {
    predicted.why = broken_rule(spec.error());
    if (predicted.why.empty()) return tl::unexpected(spec.error());
    return predicted;
  }
  if (spec->parallel.world() != predicted.devices) {
    predicted.why = kFillsCluster;
    return predicted;
  }
  const auto plan = fitted(*std::move(spec), **known);
  predicted.memory = plan.need;
  if (!plan.program) {
    const bool valid = plan.need.total.count() > 0;
    predicted.state = valid ? State::too_large : State::illegal;
    if (!valid) predicted.why = plan.rule;
    if (valid) predicted.plan = plan_label(plan.spec);
    return predicted;
  }
  predicted.plan = plan_label(plan.program->spec);
  return time(*plan.program, **known, std::move(predicted), evaluation);
}

FittedPlan Evaluator::fitted(workload::Spec spec, const CachedCluster& known) const {
  const auto kinds = space_.recompute.empty() ? std::vector{spec.recompute.kind}  //
                                              : space_.recompute;
  return fit_plan(std::move(spec), kinds, known.cluster->platform.device);
}

Result<workload::Spec> Evaluator::plan(const PointSpec& asked) {
  const auto known = cluster_of(asked.cluster);
  if (!known) return tl::unexpected(known.error());
  auto spec = spec_of(asked.job, *(*known)->cluster);
  if (!spec) return spec;
  auto plan = fitted(*std::move(spec), **known);
  if (!plan.program)
    return fail(Errc::config_conflict, space_.where, "this point no longer fits",
                "check whether a file named by the cluster has changed");
  return std::move(plan.program->spec);
}

PointPrediction Evaluator::predict(const PointSpec& asked, Evaluation evaluation) {
  const FileReadRecorder read_files;
  files_.clear();
  auto predicted = predict_point(asked, evaluation);
  if (predicted) {
    files_.merge(read_files.hashes());
    auto& provenance = provenances_[files_];
    if (provenance == nullptr)
      provenance = std::make_shared<const Provenance>(provenance_of(files_, space_.where));
    predicted->provenance = provenance;
    return *std::move(predicted);
  }
  PointPrediction failed;
  failed.state = State::failed;
  failed.error = predicted.error();
  return failed;
}

// Estimates points in columns (estimate/columns).

namespace {

/// Maximum number of cached jobs of an evaluator.
constexpr std::size_t kJobs = 4096;

/// Resets all values that are columns, so that equal results mean equal other values.
workload::Spec without_columns(workload::Spec spec) {
  const workload::Spec plain;
  spec.parallel.tp = spec.parallel.pp = spec.parallel.dp = spec.parallel.ep = 1;
  spec.parallel.cp = 1;
  spec.parallel.sp = plain.parallel.sp;
  spec.parallel.sharding = plain.parallel.sharding;
  spec.schedule.kind = plain.schedule.kind;
  spec.schedule.chunks = 1;
  spec.recompute.kind = plain.recompute.kind;
  spec.batch.micro = 1;
  spec.batch.global = 0;
  return spec;
}

}  // namespace

std::optional<Evaluator::Job> Evaluator::job_of(const PointSpec& asked,
                                                const CachedCluster& known) {
  auto spec = spec_of(asked.job, *known.cluster);
  if (!spec || spec->parallel.world() != known.cluster->ranks) return std::nullopt;
  Job job{*std::move(spec), {}, {}, 0, {}};
  job.family = workload::to_json(without_columns(job.spec));
  // The model FLOPs depend on the batch, not on the partitioning; needed only with a plan.
  Findings ignored_findings;
  const auto program = workload::assemble(job.spec, ignored_findings);
  if (!program) return job;
  if (auto counted = workload::count(*program)) {
    if (workload::has_tokens(program->spec)) job.tokens = counted->tokens;
    job.counted = *std::move(counted);
  }
  return job;
}

const MemoryNeed& Evaluator::memory_of(Job& job, const workload::Spec& plan,
                                       const platform::Device& device) {
  const auto key = std::pair(device.entry, plan.recompute.kind);
  const auto known = job.memory.find(key);
  if (known != job.memory.end()) return known->second;
  return job.memory.emplace(key, fit_plan(plan, {plan.recompute.kind}, device).need).first->second;
}

Result<std::optional<PointPrediction>> Evaluator::predict_in_columns(const PointSpec& asked,
                                                                     CachedCluster& known,
                                                                     const PointPrediction& begun) {
  const std::string text = std::to_string(known.cluster->ranks) + " " + asked.job.dump();
  auto found = jobs_.find(text);
  if (found == jobs_.end()) {
    if (jobs_.size() >= kJobs) jobs_.clear();
    const FileReadRecorder read_files;
    auto job = job_of(asked, known);
    found = jobs_.emplace(text, CachedJob{std::move(job), read_files.hashes()}).first;
  }
  files_.insert(found->second.files.begin(), found->second.files.end());
  if (!found->second.job) return std::optional<PointPrediction>{};
  Job& job = *found->second.job;
  auto columns = known.columns.find(job.family);
  if (columns == known.columns.end()) {
    std::unique_ptr<estimate::ColumnEstimator> made;
    if (estimate::ColumnEstimator::refusal(*known.cluster, job.spec).empty())
      made = std::make_unique<estimate::ColumnEstimator>(known.cluster, job.spec, *known.costs);
    columns = known.columns.emplace(job.family, std::move(made)).first;
  }
  if (columns->second == nullptr) return std::optional<PointPrediction>{};
  const auto kinds = space_.recompute.empty() ? std::vector{job.spec.recompute.kind}  //
                                              : space_.recompute;
  const auto estimates = estimate_in_columns({job.spec}, kinds, *columns->second);
  if (!estimates) return tl::unexpected(estimates.error());
  const ColumnEstimate& plan = estimates->front();
  if (!plan.supported || (plan.fits && (!plan.step || !job.counted)))
    return std::optional<PointPrediction>{};
  PointPrediction predicted = begun;
  workload::Spec spec = job.spec;
  spec.recompute.kind = plan.recompute;
  if (plan.memory > 0) predicted.memory = memory_of(job, spec, known.cluster->platform.device);
  if (plan.memory > 0) predicted.plan = plan_label(spec);
  predicted.state = plan.fits ? State::fits : plan.memory > 0 ? State::too_large : State::illegal;
  if (predicted.state == State::illegal) predicted.why = plan.rule;
  if (!plan.fits) return predicted;
  predicted.step = std::llround(*plan.step);
  predicted.model_flops = workload::to_double(job.counted->flops.model());
  predicted.work_by_format = study::work_by_format(*job.counted, known.cluster->platform.device);
  predicted.tokens = job.tokens;
  predicted.samples = spec.global_batch();
  return predicted;
}

}  // namespace orrery::explore
