// SPDX-License-Identifier: Apache-2.0
//
// orrery count: FLOPs, bytes, weights and messages of one training step, without running it.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "options/input_options.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/present/workloads/count_text.h"
#include "orrery/study/questions/error_hints.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct CountOptions {
  study::JobDescription job;
  std::string cluster;

  static constexpr std::string_view group = "Inputs";
  static constexpr auto fields =
      std::tuple{UndeclaredField{&CountOptions::job},
                 QuestionField{"cluster", &CountOptions::cluster, "--cluster", "FILE", kAnswer,
                               "a100-40gb:8", "The cluster it would run on"}};
};

int count_job(const CountOptions& options, Session& session) {
  Findings findings;
  platform::Platform platform;
  const bool placed = !options.cluster.empty();
  if (placed) {
    auto read = platform::read_cluster(options.cluster, findings);
    if (!read)
      return session.fail(study::add_cluster_hint(read.error(), options.cluster), findings);
    platform = *std::move(read);
  }
  const study::ClusterSize size{placed ? platform.npu_count() : 0, options.cluster};
  const auto program = study::assemble(options.job, size, findings);
  if (!program) return session.fail(program.error(), findings);
  if (placed) {
    if (auto fine = study::check_device_count(*program, platform, options.cluster); !fine)
      return session.fail(fine.error(), findings);
  }
  const std::vector<platform::Dimension>& dims = platform.dims;
  const auto counted = workload::count(*program);
  if (!counted) return session.fail(counted.error(), findings);
  return session.deliver(
      present::count_text(*program, *counted, dims, findings, session.out_style()),
      [&] { return present::count_json(*program, *counted, dims, findings); });
}

}  // namespace

Action add_count(CLI::App& command, Session& session) {
  describe(command,
           "The counts are exact, without a simulation: FLOPs (forward, backward, recomputed,\n"
           "optimizer), weights, traffic of device memory, and messages by collective and\n"
           "axis; with --cluster by network dimension, too.\n"
           "\n"
           "Examples:\n"
           "  orrery count --model gpt3-175b --tp 8 --pp 8 --dp 16 --global-batch 1536\n"
           "  orrery count job.yaml --cluster cluster.yaml --json\n");
  const auto options = std::make_shared<CountOptions>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return count_job(*options, session); };
}

}  // namespace orrery::app
