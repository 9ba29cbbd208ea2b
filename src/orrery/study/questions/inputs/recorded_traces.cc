// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/inputs/recorded_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/graph/transform/replicate.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/trace/inputs/foreign_files.h"
#include "orrery/trace/inputs/format.h"

namespace orrery::study {

bool is_recorded_traces(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto files = trace::expand(path);
    if (!files && files.error().code == Errc::usage) return true;  // several profiles in a folder
    if (!files || files->empty()) continue;
    const auto inputs = trace::inputs_in(files->front());
    if (!inputs || inputs->empty()) continue;
    // A prefix of Chakra traces may also be the name of a file.
    std::error_code ignored;
    if (inputs->front().format == trace::Format::foreign &&
        std::filesystem::exists(files->front() + ".0.et", ignored))
      continue;
    const bool any = std::any_of(inputs->begin(), inputs->end(), [](const trace::Input& input) {
      return trace::is_device_trace(input.format) || input.format == trace::Format::pytorch_et ||
             (trace::is_refused(input.format) &&
              (input.foreign == nullptr || !input.foreign->may_be_other_input));
    });
    const bool is_foreign_archive =
        std::all_of(inputs->begin(), inputs->end(), [](const trace::Input& input) {
          return input.member > 0 && input.format == trace::Format::unknown;
        });
    if (any || is_foreign_archive) return true;
  }
  return false;
}

Result<intake::JobOptions> job_options(const RecordedTraces& recorded) {
  if (recorded.rank < -1 || recorded.rank >= static_cast<std::int64_t>(limits::kRanks))
    return fail(Errc::usage, "--rank", fmt::format("there is no rank {}", recorded.rank));
  const std::int64_t threads = recorded.threads.value_or(0);
  if (threads < 0 || threads > 1024)
    return fail(Errc::usage, "--threads", "give 0 (all cores) to 1024");
  intake::JobOptions job;
  job.traces = recorded.traces;
  if (recorded.rank >= 0) job.rank = static_cast<std::uint32_t>(recorded.rank);
  job.threads = static_cast<unsigned>(threads);
  job.link = !recorded.no_link;
  job.dependencies.tensors = recorded.tensors;
  return job;
}

Result<intake::Job> read_ranks(const RecordedTraces& recorded, const ReadProgress& progress,
                               Findings& findings,
                               const std::function<void(intake::RankTrace&)>& use) {
  auto options = job_options(recorded);
  if (!options) return tl::unexpected(options.error());
  options->progress = progress;
  auto job = intake::for_each_rank(
      *options, [&](const intake::Job&, std::size_t, intake::RankTrace& rank) -> Result<void> {
        use(rank);
        findings.merge(rank.findings);
        return {};
      });
  if (job) findings.merge(job->findings);
  return job;
}

void count_replicated_traces(std::size_t traces, std::uint32_t ranks, Findings& findings) {
  if (traces > 1 && traces != ranks)
    findings.add(FindingCode::replicas_in_turn,
                 fmt::format("{} traces for {} ranks", traces, ranks));
}

namespace {

/// Whether any computation has a duration, or a kernel or work from which a model predicts one.
bool has_times(const graph::Workload& workload) {
  bool computes = false;
  for (const graph::GraphRef& graph : workload.graphs) {
    for (graph::NodeId n = 0; n < graph->size(); ++n) {
      if (graph->kind(n) != graph::NodeKind::comp) continue;
      if (graph->duration(n) > Time{} || graph->kernel_of(n) != nullptr ||
          graph->has(n, graph::kHasNumOps))
        return true;
      computes = true;
    }
  }
  return !computes;
}

}  // namespace

Result<graph::Workload> read_recorded_workload(const Question& question, std::uint32_t ranks,
                                               Watch& watch) {
  auto job = job_options(question.recorded);
  if (!job) return tl::unexpected(job.error());
  job->progress = [&](std::uint32_t done, std::uint32_t of) { watch.reading(done, of); };
  job->converted = [&](std::uint32_t done, std::uint32_t of) { watch.converting(done, of); };
  Findings findings;
  auto workload = intake::load_job(*job, findings);
  watch.phase_done();
  if (!workload) return workload;
  if (!has_times(*workload))
    return fail(Errc::input_unsupported, question.recorded.traces.front(),
                "contains operators without times: it is an execution trace",
                "also give the profiler's trace of the same run, whose operators have times: "
                "--traces rank0.et.json rank0.kineto.json");
  workload->findings.merge(findings);
  const std::uint32_t there = workload->rank_count();
  if (question.replicate && ranks > 0) {
    const std::string& where = question.recorded.traces.front();
    if (auto fine = graph::check_replicas(*workload, where); !fine)
      return tl::unexpected(fine.error());
    workload->recorded_duration.reset();  // not for this number of ranks
    count_replicated_traces(there, ranks, workload->findings);
    graph::replicate(*workload, ranks);
    return workload;
  }
  if (ranks == 0 || ranks == there) return workload;
  return fail(Errc::config_conflict, question.recorded.traces.front(),
              fmt::format("contains traces of {} rank{}, but the cluster has {} devices", there,
                          there == 1 ? "" : "s", ranks),
              there == 1 ? "--replicate runs the trace on all devices"
                         : "use a cluster of the size of the job: " + cluster_suggestion(there) +
                               "; or --replicate, if its ranks are replicas of a larger job");
}

Result<Time> recorded_step(const RecordedTraces& recorded, Findings& findings, Watch& watch) {
  auto options = job_options(recorded);
  if (!options) return tl::unexpected(options.error());
  options->progress = [&](std::uint32_t done, std::uint32_t of) { watch.reading(done, of); };
  std::vector<Time> steps;
  std::optional<Time> first, last;
  const auto job = intake::for_each_rank(
      *options,
      [&](const intake::Job& all, std::size_t place, intake::RankTrace& trace) -> Result<void> {
        const std::vector<Time>& lengths = all.steps[place];
        for (std::size_t i = lengths.size() > 1 ? 1 : 0; i < lengths.size(); ++i)
          steps.push_back(lengths[i]);
        for (profile::EventId e = 0; e < trace.profile.events.size(); ++e) {
          const profile::Event& event = trace.profile.events[e];
          if (!event.timed()) continue;
          const Time start = event.start + all.clock_offset[place];
          first = std::min(first.value_or(start), start);
          last = std::max(last.value_or(start), start + event.duration);
        }
        return {};
      });
  watch.phase_done();
  if (!job) return tl::unexpected(job.error());
  findings.merge(job->findings);
  if (!first)
    return fail(
        Errc::input_unsupported, recorded.traces.front(), "contains no times",
        "an execution trace contains operators without times: also give the profiler's trace");
  if (steps.empty()) return *last - *first;
  return upper_median(steps);
}

}  // namespace orrery::study
