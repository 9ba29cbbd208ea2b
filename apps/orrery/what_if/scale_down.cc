// SPDX-License-Identifier: Apache-2.0
//
// orrery scale-down: a job made smaller, and what it still stands for.
#include "orrery/study/scale_down/scale_down.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.h"
#include "options/input_options.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/whatif/scale_down_text.h"
#include "orrery/study/jobs/workload_to_chakra.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ScaleDownOptions {
  std::vector<std::string> paths;
  study::ScaleDownQuestion question;

  static constexpr auto fields = std::tuple{
      QuestionField{"paths", &ScaleDownOptions::paths, "TRACES", "", kAnswer, "other.json.gz",
                    "Recorded traces of one rank or several, or the prefix of Chakra traces"},
      QuestionStruct{"question", &ScaleDownOptions::question}};
};

Result<void> settle(ScaleDownOptions& options) {
  study::ScaleDownQuestion& question = options.question;
  take_paths(options.paths, question.base);
  if (question.base.workload.empty() && question.base.recorded.traces.empty() &&
      !question.base.job.given())
    return fail(Errc::usage, "TRACES", "nothing to make smaller",
                "orrery scale-down TRACE... --ranks 4 --layers 8");
  return {};
}

/// The traces, and the cluster that they were simulated on beside them.
Result<void> write_made(const study::ScaleDown& made, const std::string& prefix, Session& session) {
  const platform::Platform& platform = made.scaled_cluster->platform;
  const bool cluster = !made.replayed && platform.fabric == nullptr;
  const std::string beside = prefix + ".yaml";
  if (cluster)
    if (auto absent = check_absent(beside, session.force); !absent) return absent;
  if (auto written = study::write_chakra_workload(*made.scaled_workload, prefix, session.force);
      !written)
    return tl::unexpected(written.error());
  if (!cluster) return {};
  return write_output(beside, platform::resolved_cluster(platform), session.force);
}

int scale_down(ScaleDownOptions& options, Session& session) {
  if (auto fine = settle(options); !fine) return session.fail(fine.error());
  const std::string prefix = std::exchange(session.output, "");
  ShownWatch watch(session);
  const auto made = study::scale_down(options.question, watch);
  watch.phase_done();
  if (!made) return session.fail(made.error());
  if (!prefix.empty())
    if (auto done = write_made(*made, prefix, session); !done) return session.fail(done.error());
  return session.deliver(present::scale_down_text(*made, session.out_style()),
                         [&] { return present::scale_down_json(*made); });
}

}  // namespace

Action add_scale_down(CLI::App& command, Session& session) {
  describe(
      command,
      "Recorded traces, Chakra traces, or a model and a plan, with fewer ranks, layers,\n"
      "microbatches or samples. Both jobs are simulated; the report shows what is the\n"
      "same in both, and what the smaller one predicts for the larger.\n"
      "\n"
      "Examples:\n"
      "  orrery scale-down big/w --cluster h100-sxm:64 --ranks dp=2,pp=2 --layers 8 -o small/w\n"
      "  orrery scale-down 'trace/rank*.json.gz' --ranks 4\n");
  const auto options = std::make_shared<ScaleDownOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return scale_down(*options, session); };
}

}  // namespace orrery::app
