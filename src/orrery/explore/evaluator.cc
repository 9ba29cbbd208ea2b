// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "orrery/core/sha256.h"
#include "orrery/estimate/program/in_small.h"
#include "orrery/estimate/program/play.h"
#include "orrery/platform/catalogue.h"
#include "orrery/search/plans/fitted_plan.h"
#include "orrery/study/description.h"
#include "orrery/study/expanded.h"
#include "orrery/workload/program/count.h"

namespace orrery::explore {

using search::Gear;

namespace {

/// Changes when figures change their meaning.
constexpr std::string_view kForm = "2";
/// Clusters that one evaluator remembers.
constexpr std::size_t kClusters = 512;

/// Where the file gives one; else `otherwise`.
Result<double> rate_of(const Json& rates, const char* pointer, double otherwise, double least,
                       const SearchSpace& space) {
  const Json& value = rates.at(Json::json_pointer(pointer));
  if (value.is_null()) return otherwise;
  const bool fine =
      value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= least;
  if (fine) return value.get<double>();
  return fail(Errc::config_range, space.where + ":" + pointer,
              fmt::format("{} is no number of at least {}", plain_text(value), least));
}

constexpr const char* kFills = "fills-cluster";

/// Of an error: the rule that a job breaks, or empty where something else is wrong.
std::string broken_rule(const Error& error) {
  if (error.hint.starts_with("rule ")) return search::rule_of(error);
  return error.code == Errc::config_conflict && error.where == kFills ? kFills : "";
}

}  // namespace

std::string named_cluster(const std::string& text, const std::string& where) {
  if (!space::names_file(text)) return text;
  return (std::filesystem::path(where).parent_path() / text).string();
}

Result<Asked> asked_at(const SearchSpace& space, const At& at) {
  const auto lookup = space.lookup(at);
  auto cluster = space.cluster.value(lookup);
  if (!cluster) return tl::unexpected(cluster.error());
  auto job = space.job.value(lookup);
  if (!job) return tl::unexpected(job.error());
  return Asked{*std::move(cluster), *std::move(job)};
}

Result<Rates> rates_at(const SearchSpace& space, const At& at) {
  const auto found = space.prices.value(space.lookup(at));
  if (!found) return tl::unexpected(found.error());
  const auto device = rate_of(*found, "/prices/device", 1, 0, space);
  const auto energy = rate_of(*found, "/prices/energy", 0, 0, space);
  const auto power = rate_of(*found, "/power/device", -1, 0, space);
  const auto beside = rate_of(*found, "/power/beside", 0, 0, space);
  const auto overhead = rate_of(*found, "/power/overhead", 1, 1, space);
  for (const auto* one : {&device, &energy, &power, &beside, &overhead})
    if (!*one) return tl::unexpected(one->error());
  Rates rates{*device, *energy, std::nullopt, *beside, *overhead};
  if (*power >= 0) rates.device_power = *power;
  return rates;
}

std::string digest(const SearchSpace& space, const Asked& asked, Gear gear) {
  const std::string by =
      gear == Gear::columns ? "columns" : fmt::format("{}", gear == Gear::simulate);
  std::string text =
      fmt::format("{}\n{}\n{}\n{}\n", kForm, by, asked.cluster.dump(), asked.job.dump());
  for (const std::string& word : space.file.recompute) text += word + "\n";
  return sha256_of(text);
}

Result<Evaluator::Known*> Evaluator::cluster_of(const Json& asked) {
  const std::string key = asked.dump();
  auto found = clusters_.find(key);
  if (found == clusters_.end()) {
    study::Question question;
    question.cluster = asked.is_string() ? named_cluster(asked.get<std::string>(), space_.where)
                                         : space_.where + " (cluster)";
    if (!asked.is_string()) question.cluster_text = key;
    Findings nobody;
    const FilesRead read_files;
    auto read = study::read_cluster(question, nobody);
    if (!read) return tl::unexpected(read.error());
    if (clusters_.size() >= kClusters)  // the one that nobody asked for the longest
      clusters_.erase(std::min_element(
          clusters_.begin(), clusters_.end(),
          [](const auto& a, const auto& b) { return a.second.asked < b.second.asked; }));
    auto cluster = std::make_shared<const study::Cluster>(*std::move(read));
    auto costs = std::make_unique<estimate::OpCosts>(cluster);
    found =
        clusters_
            .emplace(key, Known{std::move(cluster), std::move(costs), read_files.hashes(), 0, {}})
            .first;
  }
  found->second.asked = ++asked_;
  files_.insert(found->second.files.begin(), found->second.files.end());
  return &found->second;
}

Result<workload::Spec> Evaluator::spec_of(const Json& job, const study::Cluster& cluster) {
  study::JobDescription description;
  description.texts = {{space_.where + " (job)", job.dump()}};
  Findings nobody;
  return study::specify(description, {cluster.ranks, kFills}, nobody);
}

Result<Told> Evaluator::time(const workload::Program& program, Known& known, Told told, Gear gear) {
  if (const auto counted = workload::count(program)) {
    told.model_flops = workload::to_double(counted->flops.model());
    if (workload::has_tokens(program.spec)) told.tokens = counted->tokens;
  }
  told.samples = program.spec.global_batch();
  if (gear == Gear::simulate) {
    const auto step = search::simulate_plan(program, known.cluster);
    if (!step) return tl::unexpected(step.error());
    told.step = step->end.count();
    search::PartShares& shares = told.shares.emplace();
    for (std::size_t i = 0; told.step > 0 && i < shares.size(); ++i)
      shares[i] = static_cast<double>(step->parts[i].count()) / static_cast<double>(told.step);
  } else {
    if (auto fine = estimate::check_playable(program); !fine) {
      told.state = State::not_told;
      told.why = fine.error().what;
      return told;
    }
    const auto held = study::as_held(program, known.cluster);
    std::optional<estimate::OpCosts> own;  // what is beside a device is the plan's own matter
    if (held != known.cluster) own.emplace(held);
    const auto step = estimate::estimated(program, own ? *own : *known.costs);
    if (!step) return tl::unexpected(step.error());
    told.step = step->count();
  }
  told.state = State::fits;
  return told;
}

Result<Told> Evaluator::told_of(const Asked& asked, Gear gear) {
  const auto known = cluster_of(asked.cluster);
  if (!known) return tl::unexpected(known.error());
  const platform::Device& device = (*known)->cluster->platform.device;
  Told told;
  told.state = State::illegal;
  told.devices = (*known)->cluster->ranks;
  told.peak = device.rated.count();
  if (const platform::DeviceEntry* entry = platform::find_device(device.entry))
    told.device_power = entry->power_w;
  if (gear == Gear::columns) {
    auto seen = told_in_columns(asked, **known, told);
    if (!seen) return tl::unexpected(seen.error());
    if (*seen) return **std::move(seen);
  }
  auto spec = spec_of(asked.job, *(*known)->cluster);
  if (!spec) {
    told.why = broken_rule(spec.error());
    if (told.why.empty()) return tl::unexpected(spec.error());
    return told;
  }
  if (spec->parallel.world() != told.devices) {
    told.why = kFills;
    return told;
  }
  const auto plan = fitted(*std::move(spec), **known);
  told.memory = plan.memory;
  if (!plan.program) {
    told.state = plan.memory == 0 ? State::illegal : State::too_large;
    if (plan.memory == 0) told.why = plan.rule;
    if (plan.memory > 0) told.plan = search::plan_words(plan.spec);
    return told;
  }
  told.plan = search::plan_words(plan.program->spec);
  return time(*plan.program, **known, std::move(told), gear);
}

search::FittedPlan Evaluator::fitted(workload::Spec spec, const Known& known) const {
  const auto kinds = space_.recompute.empty() ? std::vector{spec.recompute.kind}  //
                                              : space_.recompute;
  return search::fit_plan(std::move(spec), kinds, known.cluster->platform.device);
}

Result<workload::Spec> Evaluator::plan(const Asked& asked) {
  const auto known = cluster_of(asked.cluster);
  if (!known) return tl::unexpected(known.error());
  auto spec = spec_of(asked.job, *(*known)->cluster);
  if (!spec) return spec;
  auto plan = fitted(*std::move(spec), **known);
  if (!plan.program)
    return fail(Errc::config_conflict, space_.where, "this point does not fit any more",
                "did a file change that the cluster names?");
  return std::move(plan.program->spec);
}

Told Evaluator::tell(const Asked& asked, Gear gear) {
  const FilesRead read_files;
  files_.clear();
  auto told = told_of(asked, gear);
  if (told) {
    files_.merge(read_files.hashes());
    auto& provenance = provenances_[files_];
    if (provenance == nullptr)
      provenance =
          std::make_shared<const space::Provenance>(space::provenance_of(files_, space_.where));
    told->provenance = provenance;
    return *std::move(told);
  }
  Told failed;
  failed.state = State::failed;
  failed.error = told.error();
  return failed;
}

}  // namespace orrery::explore
