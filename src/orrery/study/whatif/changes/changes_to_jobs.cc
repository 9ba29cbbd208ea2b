// SPDX-License-Identifier: Apache-2.0
//
// Effects of changes on jobs and clusters.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "orrery/graph/kernel.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/questions/offload_words.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/study/whatif/changes/nccl_variables.h"
#include "orrery/study/whatif/changes/network_changes.h"

namespace orrery::study {

Result<void> change_job(std::span<const Change> changes, std::int64_t devices,
                        workload::Spec& spec) {
  const std::int64_t batch = spec.global_batch(), replicas = spec.parallel.dp;
  std::optional<std::uint32_t> microbatches;
  std::set<std::string_view> paths;
  for (const Change& change : changes) {
    if (change.level != ChangeScope::job) continue;
    paths.insert(change.path);
    if (change.name == "microbatches") {
      const auto many = whole_number(change);
      if (!many) return tl::unexpected(many.error());
      microbatches = *many;
      continue;
    }
    auto done = change.name == "offload" ? set_offload(change.value, {}, spec)
                                         : workload::set(spec, change.path, change.value);
    if (!done)
      return fail(done.error().code, "--change " + change.text, done.error().what,
                  done.error().hint);
  }
  if (paths.empty()) return {};
  workload::Parallel& parallel = spec.parallel;
  const bool dp = paths.contains("parallel.dp");
  if (!dp && (paths.contains("parallel.tp") || paths.contains("parallel.pp") ||
              paths.contains("parallel.cp") || paths.contains("parallel.ep"))) {
    const std::int64_t others = ranks_of(parallel) / parallel.dp;
    if (devices % others != 0)
      return fail(
          Errc::config_conflict, "--change",
          fmt::format("the {} ranks of a replica do not divide the {} devices", others, devices),
          "also change dp, or the cluster");
    parallel.dp = devices / others;
  }
  if (microbatches) {
    spec.batch.global = spec.batch.micro * parallel.dp * *microbatches;
  } else if (!paths.contains("batch.global")) {
    spec.batch.global = dp ? batch / replicas * parallel.dp : batch;
  }
  return workload::check_spec(spec);
}

std::int64_t ranks_of(const workload::Parallel& parallel) {
  return parallel.tp * parallel.pp * parallel.cp * parallel.dp *
         (parallel.ep_own_axis ? parallel.ep : 1);
}

namespace {

/// Scales all compute of the rank.
void slow_down(std::uint32_t rank, double factor, platform::Platform& platform) {
  for (platform::Deviation& one : platform.deviations) {
    const auto found = std::find(one.ranks.begin(), one.ranks.end(), rank);
    if (found == one.ranks.end()) continue;
    platform::Deviation alone = one;
    one.ranks.erase(found);
    alone.ranks = {rank};
    alone.compute_time *= factor;
    if (one.ranks.empty())
      one = std::move(alone);
    else
      platform.deviations.push_back(std::move(alone));
    return;
  }
  platform.deviations.emplace_back();
  platform.deviations.back().ranks = {rank};
  platform.deviations.back().compute_time = factor;
}

/// Sets a variable of NCCL, if it runs the collectives.
Result<void> change_library(const Change& change, platform::Platform& platform) {
  const std::string where = "--change " + change.text;
  if (platform.collectives.library != platform::CollectiveLibrary::nccl)
    return fail(Errc::config_conflict, where, "NCCL does not run the collectives of this cluster",
                "its model needs GPUs of the catalog, --network analytical, and no algorithms in "
                "the cluster file; algorithm=ring changes the algorithm of other clusters");
  return set_nccl_variable(change.name, change.value, where, platform.collectives.settings);
}

/// A change of the links of one dimension, or of a variable of NCCL; empty: neither.
std::optional<Result<void>> change_setting(const Change& change, platform::Platform& platform) {
  if (const auto what = link_value_of(change.name))
    return change_links(*what, std::string_view(change.name).substr(name(*what).size() + 1),
                        change.value, "--change " + change.text, platform);
  if (is_nccl_variable(change.name)) return change_library(change, platform);
  return std::nullopt;
}

}  // namespace

Result<void> change_cluster(std::span<const Change> changes, bool job,
                            platform::Platform& platform) {
  for (const Change& change : changes) {
    if (const auto set = change_setting(change, platform)) {
      if (!*set) return *set;
      continue;
    }
    if (change.name == "bandwidth" || change.name == "latency") {
      const bool bandwidth = change.name == "bandwidth";
      platform::scale_network(platform, bandwidth ? change.factor : 1,
                              bandwidth ? 1 : change.factor);
    } else if (change.name == "kernels") {
      platform.device.changes.push_back({"", change.factor});
    } else if (job && change.name.starts_with("rank:")) {
      slow_down(change.rank, change.factor, platform);
    } else if (change.level == ChangeScope::work) {
      const auto operation = graph::operation_of(change.name);
      if (operation && *operation != graph::Operation::unsaid)
        platform.device.changes.push_back({change.name, change.factor});
    }
  }
  return {};
}

bool changes_replica_count(const Change& change) { return change.path == "parallel.dp"; }

Result<std::string> changed_cluster(std::span<const Change> changes, const std::string& cluster,
                                    bool replicas) {
  std::string made = cluster;
  const bool named = std::any_of(changes.begin(), changes.end(),
                                 [](const Change& change) { return change.name == "cluster"; });
  for (const Change& change : changes) {
    if (change.name == "cluster") made = change.value;
    const bool so_many = replicas && changes_replica_count(change);
    if (change.name != "gpu" && !so_many) continue;
    const std::size_t colon = made.rfind(':');
    if (colon == std::string::npos)
      return fail(
          Errc::config_conflict, "--change " + change.text,
          fmt::format("the cluster is a file, '{}'", made),
          fmt::format(
              "give another file with cluster=FILE; {} applies to clusters such as h100-sxm:64",
              change.name));
    if (!so_many) {
      if (platform::find_device(change.value) == nullptr) {
        Error error = unknown_device(change.value);
        error.where = "--change " + change.text;
        return tl::unexpected(std::move(error));
      }
      made = change.value + made.substr(colon);
      continue;
    }
    if (named)
      return fail(Errc::config_conflict, "--change " + change.text,
                  "the other cluster sets the number of ranks", "omit one of the two");
    const auto many = whole_number(change);
    if (!many) return tl::unexpected(many.error());
    made = fmt::format("{}:{}", made.substr(0, colon), *many);
  }
  return made;
}

}  // namespace orrery::study
