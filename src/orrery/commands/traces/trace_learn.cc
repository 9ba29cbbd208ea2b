// SPDX-License-Identifier: Apache-2.0
//
// orrery trace learn: learns the passes of training jobs, for `orrery trace synthesize`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/generative/learning/learned_traces.h"
#include "orrery/generative/sizes/random_jobs.h"
#include "orrery/present/workloads/learned_answer.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::commands {

namespace {

constexpr std::int64_t kMaxRandomJobs = 100'000;
constexpr std::int64_t kMaxSeed = (std::int64_t{1} << 31) - 1;

struct TraceLearningOptions {
  std::vector<std::string> corpus;
  std::int64_t random = 0, seed = 0;

  static constexpr auto fields = std::tuple{
      QuestionField{"corpus", &TraceLearningOptions::corpus, "CORPUS", "", kAnswer, "jobs/",
                    "Specifications of jobs, or folders with such files (.yaml, .yml)"},
      QuestionField{"random", &TraceLearningOptions::random, "--random-jobs", "N", kAnswer, "100",
                    "Also learn N random dense decoders"}
          .between(1, kMaxRandomJobs),
      QuestionField{"seed", &TraceLearningOptions::seed, "--seed", "N", kAnswer, "2",
                    "Seed of the random jobs"}
          .between(0, kMaxSeed)};
};

constexpr std::uint32_t kThreads = 2;
constexpr std::size_t kMaxCorpusFiles = 100'000;

/// The specifications that the corpus names, each folder in the order of names. Errc:
/// input_not_found, input_empty, limit_exceeded.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& corpus) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : corpus) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (auto entry = fs::recursive_directory_iterator(path, failed);
         !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
      const std::string ending = entry->path().extension().string();
      if (ending == ".yaml" || ending == ".yml") files.push_back(entry->path().string());
      if (files.size() > kMaxCorpusFiles)
        return fail(Errc::limit_exceeded, path,
                    fmt::format("has more than {} specifications", kMaxCorpusFiles));
    }
    if (failed) return fail(Errc::input_not_found, path, failed.message());
    if (files.size() == before)
      return fail(Errc::input_empty, path, "has no specification of a job (.yaml)",
                  "write one next to the traces: orrery job generate ... --format yaml");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

Result<workload::Program> random_job(std::uint64_t number) {
  Findings findings;
  auto spec = workload::parse_spec(generative::random_job_text(number), "random job");
  if (!spec) return tl::unexpected(spec.error());
  if (auto done = workload::resolve_defaults(*spec, 0, "", findings); !done)
    return tl::unexpected(done.error());
  return workload::assemble(*spec, findings);
}

int learn_jobs(TraceLearningOptions& options, Context& context) {
  if (context.output.empty())
    return context.fail({Errc::usage, "--output", "is missing", "-o FILE for the learned traces"});
  if (options.corpus.empty() && options.random == 0)
    return context.fail({Errc::usage, "CORPUS", "is missing",
                         "give folders with specifications of jobs, or --random-jobs 2000"});
  const auto files = files_of(options.corpus);
  if (!files) return context.fail(files.error());
  const std::string path = std::exchange(context.output, "");
  if (auto fine = check_absent(path, context.force); !fine) return context.fail(fine.error());
  const std::uint64_t first = static_cast<std::uint64_t>(options.seed) << 32;
  Findings findings;
  std::size_t described = 0;  // files whose findings are known; each is read several times
  const generative::Corpus corpus{files->size() + static_cast<std::size_t>(options.random),
                                  [&](std::size_t i) -> Result<workload::Program> {
                                    if (i >= files->size())
                                      return random_job(first + (i - files->size()));
                                    study::JobDescription job;
                                    job.spec = {(*files)[i]};
                                    Findings of_job;
                                    auto program = study::assemble(job, {}, of_job);
                                    if (i == described) {
                                      findings.merge(of_job);
                                      ++described;
                                    }
                                    if (program) program->spec.name = (*files)[i];
                                    return program;
                                  }};
  Progress progress(context);
  std::string phase;
  constexpr std::uint64_t kParts = 1000;  // of a phase
  const auto learned =
      generative::learn_traces(corpus, kThreads, [&](std::string_view name, double share) {
        if (phase != name) progress.begin({"learn", name, ""}, kParts);
        phase = name;
        progress.update({"learn", name, ""}, static_cast<std::uint64_t>(kParts * share), kParts);
      });
  progress.clear();
  if (!learned) return context.fail(learned.error(), findings);
  const std::string bytes = generative::to_bytes(*learned);
  if (auto done = write_output(path, bytes, context.force); !done)
    return context.fail(done.error());
  return context.deliver([&](report::Answer& answer) {
    present::state_learned(answer, *learned, path, bytes.size(), findings);
  });
}

}  // namespace

Action add_trace_learn(CommandOptions& command, Context& context) {
  describe(command,
           "Learns what a stage runs in a pass, from the specifications of jobs; traces next\n"
           "to them are not read. Every tenth job is left out once, to measure the loss on\n"
           "unseen jobs. Thousands of jobs need seconds, so an interrupted run starts again.\n"
           "\n"
           "Examples:\n"
           "  orrery trace learn --random-jobs 2000 -o dense.learned\n"
           "  orrery trace learn jobs/ more-jobs/ -o own.learned\n");
  return action_with_options(command, context, learn_jobs);
}

}  // namespace orrery::commands
