// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif_inference.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace orrery::study {
namespace {

bool has_times(const graph::Graph& graph) {
  for (graph::NodeId n = 0; n < graph.size(); ++n)
    if (graph.kernel(n) != graph::kNoKernel && graph.duration(n) > Time{}) return true;
  return false;
}

/// Keys that reset derived sizes, so that they follow changes of other sizes.
std::vector<std::string> left_open(const workload::Model& model) {
  std::vector<std::string> keys;
  if (model.head_dim == 0) keys.emplace_back("model.head_dim=0");
  if (model.kv_heads == 0) keys.emplace_back("model.kv_heads=0");
  if (model.ffn == 0) keys.emplace_back("model.ffn=0");
  return keys;
}

}  // namespace

bool needs_job(std::span<const Change> changes, bool replicas) {
  return std::any_of(changes.begin(), changes.end(), [&](const Change& change) {
    return change.level == ChangeScope::job && !is_structural(change) &&
           !(replicas && changes_replica_count(change));
  });
}

Result<InferredCase> become_inferred_job(WhatIfCase& read, Watch& watch, Findings& findings) {
  const std::string name = read.question().workload_name();
  auto job = infer_job(read.workload(), name);
  if (!job) return tl::unexpected(job.error());
  Question question = read.question();
  question.job = {};
  question.job.texts = {{name, workload::to_yaml(job->spec)}};
  for (std::string& key : left_open(job->spec.model)) question.job.set.push_back(std::move(key));
  question.workload.clear();
  question.groups.clear();
  question.replicate = question.some_ranks = false;
  RecordedTraces alone;
  alone.threads = question.recorded.threads;
  question.recorded = alone;
  Findings anew;
  auto generated = WhatIfCase::read(std::move(question), "", watch, anew);
  if (!generated) return tl::unexpected(generated.error());
  findings.merge_maximum(anew);
  InferredCase made{*std::move(job), std::nullopt, {}};
  if (has_times(read.workload().graph(0))) {
    if (read.workload().without_trace.empty()) {
      const auto traces = read.estimate_step({});
      if (!traces) return tl::unexpected(traces.error());
      made.recorded = traces->whole;
    }
    made.operations =
        compare_operation_times(read.workload().graph(0), 1, *generated->program(), read.cluster());
  }
  read = *std::move(generated);
  return made;
}

}  // namespace orrery::study
