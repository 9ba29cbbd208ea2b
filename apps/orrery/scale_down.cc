// SPDX-License-Identifier: Apache-2.0
//
// orrery scale-down: a job made smaller, and what it still stands for.
#include "orrery/study/scale_down.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "commands.h"
#include "inputs.h"
#include "orrery/core/units.h"
#include "orrery/platform/cluster.h"
#include "orrery/present/scale_down_text.h"
#include "orrery/study/write_workload.h"
#include "output_file.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct ScaleDownOptions {
  study::ScaleDownQuestion question;
  std::vector<std::string> paths;
  std::string batch, keep = "buffers";
};

/// "1/4", "0.5"
Result<double> share_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto over = parse_number(text.substr(0, slash), "--batch");
  if (!over || slash == std::string::npos) return over;
  const auto under = parse_number(text.substr(slash + 1), "--batch");
  if (!under) return under;
  if (!(*under > 0)) return fail(Errc::usage, "--batch", "is a share of nothing", "--batch 1/4");
  return *over / *under;
}

Result<void> settle(ScaleDownOptions& options) {
  study::ScaleDownQuestion& question = options.question;
  take_paths(options.paths, question.base);
  if (question.base.workload.empty() && question.base.recorded.traces.empty() &&
      !question.base.job.given())
    return fail(Errc::usage, "TRACES", "nothing to make smaller",
                "orrery scale-down TRACE... --ranks 4 --layers 8");
  if (auto fine = one_of("--keep", options.keep, {"buffers", "volume", "stated", "job"}); !fine)
    return fine;
  for (const study::Keep keep :
       {study::Keep::buffers, study::Keep::volume, study::Keep::stated, study::Keep::job})
    if (options.keep == study::name(keep)) question.keep = keep;
  if (options.batch.empty()) return {};
  const auto batch = share_of(options.batch);
  if (!batch) return tl::unexpected(batch.error());
  question.batch = *batch;
  return {};
}

/// The traces, and the cluster that they were simulated on beside them.
Result<void> write_made(const study::ScaleDown& made, const std::string& prefix, Session& session) {
  const platform::Platform& platform = made.cluster_made->platform;
  const bool cluster = !made.replayed && platform.fabric == nullptr;
  const std::string beside = prefix + ".yaml";
  if (cluster)
    if (auto absent = check_absent(beside, session.force); !absent) return absent;
  if (auto written = study::write_workload(*made.workload_made, prefix, session.force); !written)
    return tl::unexpected(written.error());
  if (!cluster) return {};
  return write_output(beside, platform::resolved_cluster(platform), session.force);
}

int scale_down(ScaleDownOptions& options, Session& session) {
  if (auto fine = settle(options); !fine) return session.fail(fine.error());
  const std::string prefix = std::exchange(session.output, "");
  ShownWatch watch(session);
  const auto made = study::scale_down(options.question, watch);
  watch.through();
  if (!made) return session.fail(made.error());
  if (!prefix.empty())
    if (auto done = write_made(*made, prefix, session); !done) return session.fail(done.error());
  return session.deliver(present::scale_down_text(*made, session.out_style()),
                         [&] { return present::scale_down_json(*made); });
}

void add_sizes(CLI::App& command, ScaleDownOptions& options) {
  study::ScaleDownQuestion& question = options.question;
  const auto option = [&](const char* names, auto& value, const char* about, const char* type) {
    command.add_option(names, value, about)->type_name(type)->group("What is made smaller");
  };
  option("--ranks", question.ranks,
         "How many ranks stay, in all (4) or along axes (dp=2,pp=2); others stay as they are", "N");
  option("--layers", question.layers, "... layers of the model, of all stages that stay", "N");
  option("--microbatches", question.microbatches, "... microbatches of a step", "N");
  option("--batch", options.batch, "... of the samples of a microbatch: 1/4", "SHARE");
  option("--keep", options.keep,
         "What stays where groups get smaller: buffers (of collectives, whole), volume (that each "
         "rank sends), stated (sizes as nodes have them), job (buffers and the model)",
         "WHAT");
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
  command
      .add_option("TRACES", options->paths,
                  "Recorded traces of one rank or several, or the prefix of Chakra traces")
      ->type_name("");
  add_sizes(command, *options);
  study::Question& base = options->question.base;
  command.add_option("--cluster", base.cluster, "Simulate on this cluster, and on a part of it")
      ->type_name("FILE");
  command.add_option("--groups", base.groups, "Process groups of Chakra traces")->type_name("FILE");
  add_recorded_options(command, base.recorded);
  add_spec_options(command, base.job, false);
  session.add_options(command);
  return [options, &session] { return scale_down(*options, session); };
}

}  // namespace orrery::app
