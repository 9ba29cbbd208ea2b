// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/question.h"

#include "orrery/core/text/suggest.h"
#include "orrery/study/questions/effects.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/whatif/changes/changes.h"

namespace orrery::study {

const std::string& Question::workload_name() const {
  if (job.given()) return job.name();
  return recorded.traces.empty() ? workload : recorded.traces.front();
}

namespace {

/// Checks fields with a fixed set of values.
Result<void> check_choices(const Question& question) {
  Result<void> all;
  each_field(question, [&](const std::string&, const auto& field, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::string&>) {
      if (!all || field.choices == nullptr || value == default_of(field)) return;
      const std::string_view option = field.options.substr(0, field.options.find(','));
      all = one_of(std::string(option), value, field.choices());
    }
  });
  return all;
}

Result<void> check_work(const ExecutionOptions& work) {
  if (work.threads < 0 || work.threads > 1024)
    return fail(Errc::usage, "--threads", "give 0 (all cores) to 1024");
  if (work.verify_fold && work.fold == "off")
    return fail(Errc::usage, "--verify-fold", "with --fold off there is nothing to compare");
  return {};
}

Result<void> check_cluster(const Question& question) {
  if (!question.astra()) return {};
  if (!question.cluster.empty()) {
    return fail(Errc::config_conflict, "--cluster",
                "the cluster is given twice: here and in ASTRA-sim's files",
                "give --cluster or --astra-network and --astra-system, not both");
  }
  if (question.astra_network.empty()) return fail(Errc::usage, "--astra-network", "is missing");
  if (question.astra_system.empty()) return fail(Errc::usage, "--astra-system", "is missing");
  return {};
}

}  // namespace

Result<void> settle(Question& question) {
  if (question.recorded.threads) question.work.threads = *question.recorded.threads;
  if (auto fine = check_choices(question); !fine) return fine;
  if (auto fine = check_work(question.work); !fine) return fine;
  if (question.job.given() && !(question.workload.empty() && question.recorded.traces.empty()))
    return fail(Errc::usage, "--spec",
                "the workload is given twice: as traces, and as a model and a plan",
                "omit one of the two");
  if (!question.workload.empty() && is_recorded_traces({question.workload}))
    question.recorded.traces.push_back(std::exchange(question.workload, ""));
  if (!question.changes.empty()) {
    const auto changes = parse_changes(question.changes);
    if (!changes) return tl::unexpected(changes.error());
    auto cluster = changed_cluster(*changes, question.cluster, question.replicate);
    if (!cluster) return tl::unexpected(cluster.error());
    question.cluster = *std::move(cluster);
    for (const Change& change : *changes)
      if (change.name == "algorithm") question.collective_algorithm = change.value;
  }
  if (auto fine = check_effects(question.without); !fine) return fine;
  return check_cluster(question);
}

}  // namespace orrery::study
