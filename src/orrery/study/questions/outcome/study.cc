// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include "orrery/core/system/file_read_recorder.h"
#include "orrery/core/system/sha256.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/caller_times.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/questions/outcome/outcome_answer.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::study {

namespace {

template <class T>
using Shared = Result<std::shared_ptr<const T>>;

template <class T>
Shared<T> share(Result<T> made) {
  if (!made) return tl::unexpected(made.error());
  return std::make_shared<const T>(*std::move(made));
}

bool has_custom_algorithms(const platform::Platform& platform) {
  const platform::CollectiveConfig& config = platform.collectives;
  if (!config.custom_by_node.empty()) return true;
  const auto custom = [](const platform::CollectivePlan* plan) {
    return !plan->custom_prefix.empty();
  };
  const auto plans = {&config.all_reduce, &config.all_gather, &config.reduce_scatter,
                      &config.all_to_all};
  return std::any_of(plans.begin(), plans.end(), custom);
}

/// The properties of a cluster that affect reading a workload (read_load).
std::string load_relevant_cluster(const Question& question, const Cluster& cluster) {
  const platform::Platform& platform = cluster.platform;
  const platform::RemoteMemory& memory = platform.remote_memory;
  return fmt::format("{} {} {} {} {} {} {} {} {}", cluster.ranks, question.astra(),
                     question.cluster_name(), static_cast<int>(platform.rules),
                     platform.deviations.empty(), static_cast<int>(memory.kind), memory.in_switch,
                     platform.device.entry,
                     has_custom_algorithms(platform) ? stage_key(question, kCluster) : "");
}

/// Questions with equal keys have equal workloads.
std::string load_key(const Question& question, const Cluster& cluster) {
  return stage_key(question, kLoad) + load_relevant_cluster(question, cluster);
}

/// Identifies the inputs of a question for checkpoints.
std::string job_of(const Question& question, const FileHashes& files) {
  std::string text = stage_key(question, kCluster) + stage_key(question, kLoad);
  for (const auto& [path, hash] : files) text += path + " " + hash + "\n";
  return sha256_of(text);
}

/// Answers several questions; reads shared inputs once.
class Library {
 public:
  explicit Library(std::uint32_t threads) : threads_(threads) {}

  [[nodiscard]] std::vector<Result<Answer>> answer(std::span<const Question> questions) {
    for (const Question& question : questions) asked_.push_back({question});
    for (Asked& one : asked_) find_cluster(one);
    for (std::size_t i = 0; i < asked_.size(); ++i) find_load(i);
    share_out(loads_.size(), [&](std::uint32_t i) {
      const Asked& first = asked_[loads_[i].first];
      Watch ignored_watch;
      loads_[i].made = share(
          read_load(first.question, *first.inputs.cluster, ignored_watch, loads_[i].findings));
    });
    share_out(asked_.size(), [&](std::uint32_t i) { run(asked_[i]); });
    std::vector<Result<Answer>> answers;
    for (Asked& one : asked_) {
      if (one.error) {
        answers.push_back(tl::unexpected(*one.error));
      } else {
        answers.push_back(Answer(std::move(one.outcome)));
      }
    }
    return answers;
  }

 private:
  struct Asked {
    Question question;
    Inputs inputs{};
    std::size_t load = 0;
    Findings findings{};
    std::optional<Error> error{};
    std::shared_ptr<const Outcome> outcome{};
  };
  struct SharedCluster {
    Shared<Cluster> made = nullptr;
    Findings findings{};
  };
  struct SharedLoad {
    std::size_t first;  ///< index of the first question that uses it
    Shared<Load> made = nullptr;
    Findings findings{};
  };

  void share_out(std::size_t count, const std::function<void(std::uint32_t)>& work) const {
    const auto most = static_cast<std::uint32_t>(count);
    ThreadPool(std::clamp(threads_, 1u, std::max(most, 1u))).parallel_for(most, work);
  }

  void find_cluster(Asked& one) {
    if (auto fine = settle(one.question); !fine) {
      one.error = fine.error();
      return;
    }
    const auto [known, added] = clusters_.try_emplace(stage_key(one.question, kCluster));
    SharedCluster& cluster = known->second;
    if (added) cluster.made = share(read_cluster(one.question, cluster.findings));
    if (!cluster.made) {
      one.error = cluster.made.error();
      return;
    }
    one.inputs.cluster = *cluster.made;
    one.findings = cluster.findings;
  }

  void find_load(std::size_t i) {
    Asked& one = asked_[i];
    if (one.error) return;
    const auto [known, added] =
        load_numbers_.try_emplace(load_key(one.question, *one.inputs.cluster), loads_.size());
    if (added) loads_.push_back({i});
    one.load = known->second;
  }

  void run(Asked& one) {
    if (one.error) return;
    const SharedLoad& load = loads_[one.load];
    if (!load.made) {
      one.error = load.made.error();
      return;
    }
    one.inputs.load = *load.made;
    one.findings.merge(load.findings);
    Watch ignored_watch;
    auto outcome = simulate(one.question, std::move(one.inputs), ignored_watch, one.findings);
    if (!outcome) {
      one.error = outcome.error();
    } else {
      one.outcome = std::make_shared<const Outcome>(*std::move(outcome));
    }
  }

  std::uint32_t threads_;
  std::vector<Asked> asked_;
  std::map<std::string, SharedCluster> clusters_;
  std::map<std::string, std::size_t> load_numbers_;
  std::vector<SharedLoad> loads_;
};

}  // namespace

Result<Outcome> answer(Question question, Watch& watch, Findings& findings,
                       sim::Checkpoints checkpoints,
                       std::shared_ptr<const model::CallerModels> caller) {
  std::optional<FileReadRecorder> read_files;
  if (checkpoints.are_used()) read_files.emplace();
  if (auto fine = settle(question); !fine) return tl::unexpected(fine.error());
  auto read = read_cluster(question, findings);
  if (!read) return tl::unexpected(read.error());
  if (auto fine = set_caller(std::move(caller), *read); !fine) return tl::unexpected(fine.error());
  const auto cluster = share(std::move(read));
  auto load = share(read_load(question, **cluster, watch, findings));
  if (!load) return tl::unexpected(load.error());
  if (read_files) checkpoints.job = job_of(question, read_files->hashes());
  return simulate(question, {*cluster, *load}, watch, findings, std::move(checkpoints));
}

Result<Answer> simulate(const Question& question, Watch* watch) {
  Watch ignored_watch;
  Findings findings;
  auto outcome = answer(question, watch != nullptr ? *watch : ignored_watch, findings);
  if (!outcome) return tl::unexpected(outcome.error());
  return Answer(std::make_shared<const Outcome>(*std::move(outcome)));
}

std::vector<Result<Answer>> simulate_all(std::span<const Question> questions,
                                         std::uint32_t threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  return Library(threads).answer(questions);
}

Time Answer::step() const { return outcome_->result.end; }
bool Answer::stalled() const { return outcome_->result.stall.has_value(); }
std::uint32_t Answer::ranks() const { return outcome_->workload().rank_count(); }
const Findings& Answer::findings() const { return outcome_->findings; }
std::string Answer::json() const { return outcome_json(*outcome_); }

Result<result::Run> Answer::run() const {
  if (outcome_->question.record) return make_run(*outcome_);
  return fail(Errc::usage, "record", "the question was not recorded", "set Question::record");
}

}  // namespace orrery::study
