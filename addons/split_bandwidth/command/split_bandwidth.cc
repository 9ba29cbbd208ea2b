// SPDX-License-Identifier: Apache-2.0
//
// orrery split-bandwidth: how much of a network's bandwidth each dimension should have for a job.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "addons/split_bandwidth/command/rows.h"
#include "addons/split_bandwidth/split_arguments.h"
#include "addons/split_bandwidth/text/split_bandwidth_text.h"
#include "apps/orrery/options/input_options.h"
#include "apps/orrery/output_file.h"
#include "apps/orrery/progress.h"
#include "apps/orrery/question_options.h"
#include "orrery/core/text/units.h"

namespace orrery::app {

namespace {

struct SplitOptions {
  split_bandwidth::SplitQuestion asked;
  std::string cluster;
  split_bandwidth::SplitArguments words;

  static constexpr auto fields = std::tuple{
      UndeclaredField{&SplitOptions::asked}, QuestionGroup{"Inputs"},
      QuestionField{"cluster", &SplitOptions::cluster, "--cluster", "FILE", kAnswer, "a100-40gb:16",
                    "The cluster: a file with dimensions, or a name of several ('h100-sxm:64')"}
          .required(),
      QuestionStruct{"words", &SplitOptions::words}};
};

int split_bandwidth(SplitOptions& options, Session& session) {
  options.asked.question.cluster = options.cluster;
  if (!options.asked.question.job.given())
    return session.fail({Errc::usage, "JOB", "is missing",
                         "a specification (job.yaml), or --model with --tp, --dp …"});
  if (auto read = split_bandwidth::read_options(options.words, options.asked); !read)
    return session.fail(read.error());
  Findings findings;
  ShownWatch watch(session);
  const auto answer = split_bandwidth::split_for_job(options.asked, watch, findings);
  watch.phase_done();
  if (!answer) return session.fail(answer.error(), findings);
  const std::string path = std::exchange(session.output, {});
  if (!path.empty())
    if (auto done = write_output(path, answer->file, session.force); !done)
      return session.fail(done.error(), findings);
  if (path == "-") return kOk;
  return session.deliver(
      present::split_bandwidth_text(*answer, path, findings, session.out_style()),
      [&] { return present::split_bandwidth_json(*answer, path, findings); });
}

}  // namespace

Action add_split_bandwidth(CLI::App& command, Session& session) {
  describe(command,
           "The split with the shortest communication, or the best of time and cost, with\n"
           "proof; compared with the unchanged cluster and with equal dimensions, each by\n"
           "formula and simulated.\n"
           "\n"
           "Examples:\n"
           "  orrery split-bandwidth job.yaml --cluster cluster.yaml --total '600 GB/s'\n"
           "  orrery split-bandwidth job.yaml --cluster cluster.yaml --objective time-cost \\\n"
           "    --cost 2,2,57.4 --most '2=50 GB/s' -o better.yaml\n");
  const auto options = std::make_shared<SplitOptions>();
  add_spec_options(command, options->asked.question.job, true);
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return split_bandwidth(*options, session); };
}

}  // namespace orrery::app
