// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/concurrency/concurrent_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "orrery/core/models/network_names.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/graph/transform/merge_jobs.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/model_labels.h"

namespace orrery::study {

namespace {

/// The question of one job.
Question question_of(const ConcurrentJobEntry& entry, const Question& machine) {
  Question made = machine;
  made.workload = entry.workload;
  made.recorded.traces = entry.traces;
  const config::Json& job = entry.job.value;
  if (job.is_string()) made.job.spec = {job.get<std::string>()};
  if (job.is_object()) made.job.texts = {{"job " + entry.name, job.dump()}};
  return made;
}

/// Placement: explicitly named ranks first, then free devices in order.
class RankPlacement {
 public:
  RankPlacement(const ConcurrentJobsFile& file, std::string where, std::uint32_t ranks)
      : file_(file), where_(std::move(where)), taken_(ranks), seats_(file.jobs.size()) {}

  /// Ranks by job, ascending.
  Result<std::vector<std::vector<std::uint32_t>>> find() {
    for (std::size_t i = 0; i < seats_.size(); ++i)
      if (auto fine = take_named(i); !fine) return tl::unexpected(fine.error());
    for (std::size_t i = 0; i < seats_.size(); ++i)
      if (auto fine = take_free(i); !fine) return tl::unexpected(fine.error());
    return std::move(seats_);
  }

 private:
  Result<void> take_named(std::size_t job) {
    const std::string place = fmt::format("{}:/jobs/{}/ranks", where_, job);
    for (const auto& [first, last] : file_.jobs[job].ranks.list) {
      for (std::uint64_t rank = first; rank <= last; ++rank) {
        if (rank >= taken_.size())
          return fail(
              Errc::config_range, place,
              fmt::format("there is no rank {}: the machine has {} ranks", rank, taken_.size()));
        if (taken_[rank])
          return fail(Errc::config_conflict, place,
                      fmt::format("rank {} belongs to another job", rank),
                      "give each job separate ranks");
        taken_[rank] = true;
        seats_[job].push_back(static_cast<std::uint32_t>(rank));
      }
    }
    std::sort(seats_[job].begin(), seats_[job].end());
    return {};
  }
  Result<void> take_free(std::size_t job) {
    const auto wanted = static_cast<std::size_t>(file_.jobs[job].devices);
    while (seats_[job].size() < wanted) {
      while (next_ < taken_.size() && taken_[next_]) ++next_;
      if (next_ == taken_.size())
        return fail(Errc::config_conflict, fmt::format("{}:/jobs/{}/devices", where_, job),
                    fmt::format("only {} of {} devices are free on a machine of {}",
                                seats_[job].size(), wanted, taken_.size()),
                    "use a larger cluster or fewer devices");
      taken_[next_] = true;
      seats_[job].push_back(static_cast<std::uint32_t>(next_));
    }
    return {};
  }

  const ConcurrentJobsFile& file_;
  std::string where_;
  std::vector<bool> taken_;
  std::vector<std::vector<std::uint32_t>> seats_;
  std::size_t next_ = 0;  // lower ranks are taken
};

/// A cluster of `ranks` devices like the machine, to generate a job for it.
Cluster part_of(const Cluster& machine, std::size_t ranks) {
  Cluster part = machine;
  platform::Dimension all = part.platform.dims.back();
  all.size = static_cast<std::int64_t>(ranks);
  part.platform.dims = {all};
  part.ranks = static_cast<std::uint32_t>(ranks);
  return part;
}

JobTime time_of(const ConcurrentJob& job, const sim::SimResult& result) {
  JobTime made;
  std::int64_t exposed = 0;
  for (const std::uint32_t rank : job.ranks) {
    const sim::RankResult& one = result.ranks[rank];
    made.stalled = made.stalled || !one.finish;
    made.end = std::max(made.end, one.finish.value_or(Time{}));
    exposed += one.comm_only.count();
  }
  made.end = std::max(made.end - job.start, Time{});
  made.exposed = Time(exposed / static_cast<std::int64_t>(job.ranks.size()));
  return made;
}

/// Reads and simulates a file of jobs.
class ConcurrentRun {
 public:
  ConcurrentRun(const ConcurrentJobsQuestion& asked, Watch& watch, Findings& findings)
      : asked_(asked), watch_(watch), findings_(findings) {}

  Result<ConcurrentJobsResult> answer() {
    if (auto fine = read_machine(); !fine) return tl::unexpected(fine.error());
    auto rank_devices = RankPlacement(file_, asked_.file, cluster_->ranks).find();
    if (!rank_devices) return tl::unexpected(rank_devices.error());
    for (std::size_t i = 0; i < file_.jobs.size(); ++i)
      if (auto fine = read_job(i, std::move((*rank_devices)[i])); !fine)
        return tl::unexpected(fine.error());
    ConcurrentJobsResult made;
    Question question = machine_;
    question.record = asked_.record;
    auto all = run(question, parts_, findings_);
    if (!all) return tl::unexpected(all.error());
    made.all = *std::move(all);
    made.spare = cluster_->ranks;
    question.work.verify_fold = false;
    question.record = asked_.links;
    std::vector<std::unique_ptr<const sim::Recording>> recorded;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      Findings known;  // common to all jobs
      auto alone = run(question, {&parts_[i], 1}, known);
      if (!alone) return tl::unexpected(alone.error());
      recorded.push_back(std::move(alone->result.recording));
      jobs_[i].concurrent = time_of(jobs_[i], made.all.result);
      jobs_[i].alone = time_of(jobs_[i], alone->result);
      made.spare -= static_cast<std::uint32_t>(jobs_[i].ranks.size());
    }
    made.jobs = std::move(jobs_);
    made.links_known = asked_.links && machine_.network != "analytical";
    if (made.links_known) made.links = shared_links(recorded);
    return made;
  }

 private:
  Result<void> read_machine() {
    auto file = read_concurrent_jobs(asked_.file);
    if (!file) return tl::unexpected(file.error());
    file_ = *std::move(file);
    machine_.cluster = asked_.cluster.empty() ? file_.cluster : asked_.cluster;
    machine_.network_bandwidth = asked_.network_bandwidth;
    machine_.workload = asked_.file;
    machine_.network = asked_.network;
    machine_.work = asked_.work;
    if (auto fine = settle(machine_); !fine) return fine;
    if (machine_.network.empty()) {
      Findings known;
      const auto platform = read_platform(machine_, known);
      if (!platform) return tl::unexpected(platform.error());
      const bool apart = platform->network == platform::NetworkModelKind::analytical;
      machine_.network = apart ? "flow" : std::string(name(platform->network));
    }
    auto cluster = read_cluster(machine_, findings_);
    if (!cluster) return tl::unexpected(cluster.error());
    if (cluster->platform.rules != platform::Rules::orrery)
      return fail(Errc::config_conflict, machine_.cluster,
                  "ASTRA-sim's rules support only one job on a machine", "omit `rules`");
    if (cluster->platform.device.expansion)
      return fail(Errc::config_conflict, machine_.cluster,
                  "memory expansion slows kernels by the amount of data a job stores there, and "
                  "these jobs store different amounts",
                  "omit device.memory_expansion");
    cluster_ = std::make_shared<const Cluster>(*std::move(cluster));
    return {};
  }

  Result<void> read_job(std::size_t i, std::vector<std::uint32_t> rank_devices) {
    const ConcurrentJobEntry& entry = file_.jobs[i];
    Question question = question_of(entry, machine_);
    if (auto fine = settle(question); !fine) return fine;
    auto load = read_load(question, part_of(*cluster_, rank_devices.size()), watch_, findings_);
    if (!load) return tl::unexpected(load.error());
    specification_ += fmt::format("# job {}, {}\n{}", entry.name, format_ranks(rank_devices),
                                  load->specification);
    loads_.push_back(std::make_unique<const Load>(*std::move(load)));
    const std::string& about = question.workload_name();
    jobs_.push_back({entry.name, about, rank_devices, entry.start, entry.steps, {}, {}});
    parts_.push_back({entry.name, &loads_.back()->workload, std::move(rank_devices), entry.start,
                      static_cast<std::uint32_t>(entry.steps)});
    return {};
  }

  Result<Outcome> run(const Question& question, std::span<const graph::JobPart> jobs,
                      Findings& findings) {
    auto workload = graph::merge_jobs(jobs, cluster_->ranks, findings);
    if (!workload) return tl::unexpected(workload.error());
    const auto load = std::make_shared<const Load>(
        Load{*std::move(workload), jobs.size() == parts_.size() ? specification_ : "", nullptr});
    return simulate(question, {cluster_, load}, watch_, findings);
  }

  const ConcurrentJobsQuestion& asked_;
  Watch& watch_;
  Findings& findings_;
  ConcurrentJobsFile file_;
  Question machine_;
  std::shared_ptr<const Cluster> cluster_;
  std::vector<std::unique_ptr<const Load>> loads_;
  std::vector<graph::JobPart> parts_;
  std::vector<ConcurrentJob> jobs_;
  std::string specification_;
};

}  // namespace

Result<ConcurrentJobsResult> simulate_concurrent_jobs(const ConcurrentJobsQuestion& question,
                                                      Watch& watch, Findings& findings) {
  return ConcurrentRun(question, watch, findings).answer();
}

}  // namespace orrery::study
