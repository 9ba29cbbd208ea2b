// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/evaluate_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "addons/case_study/calculon_run.h"
#include "addons/case_study/simulation_run.h"
#include "addons/case_study/split_run.h"
#include "orrery/core/system/atomic_file.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/explore/journal/line_file.h"

namespace orrery::case_study {

namespace {

/// The lines of all existing results, in the order of the runs.
std::string lines_of(const RunGrid& space, std::span<const GridRun> runs,
                     const std::vector<std::string>& digests, const std::vector<bool>& there,
                     const RunResults& answers) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (there[i]) text += line_of(space, runs[i], digests[i], answers.runs[i].values);
  return text;
}

Result<MetricValues> ask(const RunGrid& space, const GridRun& run) {
  if (!run.split.is_null()) return split_values(run, space.where);
  if (!run.calculon.is_null()) return calculon_values(run, space.where);
  const auto outcome = simulate(run, space.where);
  if (!outcome) return tl::unexpected(outcome.error());
  return values_of(*outcome, run);
}

RunResult answer(const RunGrid& space, const GridRun& run) {
  const FileReadRecorder files;
  auto values = ask(space, run);
  if (values) {
    values->provenance = explore::provenance_of(files.hashes(), space.where, models_hash());
    return {std::nullopt, *std::move(values)};
  }
  Error error = values.error();
  if (!run.at.empty()) error.what += fmt::format(" (in the run {})", words(space, run));
  return {std::move(error), {}};
}

/// Receives the results of runs from threads, one at a time.
class ResultSink {
 public:
  ResultSink(const CaseRunOptions& options, std::size_t done, std::size_t of,
             std::optional<explore::LineFile> file)
      : options_(options), done_(done), of_(of), file_(std::move(file)) {
    if (options_.progress) options_.progress(done_, of_);
  }

  /// `line` is empty if the run failed.
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (file_ && !line.empty() && !error_)
      if (auto added = file_->add(line); !added) error_ = added.error();
    if (options_.progress) options_.progress(done_, of_);
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  const CaseRunOptions& options_;
  std::size_t done_, of_;
  std::optional<explore::LineFile> file_;
  std::optional<Error> error_;
  std::mutex mutex_;
};

std::uint32_t threads_of(const CaseRunOptions& options, std::size_t work) {
  const std::uint32_t asked =
      options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  return std::clamp(asked, 1u, static_cast<std::uint32_t>(std::max(work, std::size_t{1})));
}

}  // namespace

Result<RunResults> evaluate_runs(const RunGrid& space, std::span<const GridRun> runs,
                                 const CaseRunOptions& options) {
  StoredRuns stored;
  explore::Freshness fresh(space.where, models_hash());
  if (!options.file.empty()) {
    auto read = read_runs(options.file, fresh);
    if (!read) return tl::unexpected(read.error());
    stored = *std::move(read);
  }
  RunResults answers;
  answers.runs.resize(runs.size());
  std::vector<std::string> digests;
  std::vector<bool> there;
  std::vector<std::uint32_t> open;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    digests.push_back(digest(runs[i]));
    const auto known = stored.find(digests[i]);
    const bool is_stored = known != stored.end();
    there.push_back(is_stored && fresh.holds(known->second.provenance));
    if (is_stored && !there[i]) ++answers.out_of_date;
    if (there[i]) answers.runs[i].values = known->second;
    if (!there[i]) open.push_back(static_cast<std::uint32_t>(i));
  }
  answers.simulated = open.size();
  std::optional<explore::LineFile> file;
  if (!options.file.empty() && !open.empty()) {
    auto begun =
        explore::LineFile::begin(options.file, lines_of(space, runs, digests, there, answers));
    if (!begun) return tl::unexpected(begun.error());
    file.emplace(*std::move(begun));
  }
  ResultSink sink(options, runs.size() - open.size(), runs.size(), std::move(file));
  ThreadPool(threads_of(options, open.size()))
      .parallel_for(static_cast<std::uint32_t>(open.size()), [&](std::uint32_t n) {
        const std::uint32_t i = open[n];
        answers.runs[i] = answer(space, runs[i]);
        const RunResult& one = answers.runs[i];
        sink.add(one.error ? "" : line_of(space, runs[i], digests[i], one.values));
      });
  if (sink.error()) return tl::unexpected(*sink.error());
  if (options.file.empty()) return answers;
  for (const std::uint32_t i : open) there[i] = !answers.runs[i].error;
  auto written = write_file_atomically(options.file, lines_of(space, runs, digests, there, answers),
                                       {.force = true});
  if (!written) return tl::unexpected(written.error());
  return answers;
}

}  // namespace orrery::case_study
