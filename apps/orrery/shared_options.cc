// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "inputs.h"

namespace orrery::app {

void take_paths(const std::vector<std::string>& paths, study::Question& question) {
  if (paths.size() == 1 && !study::are_recorded(paths)) {
    question.workload = paths.front();
  } else {
    auto& traces = question.recorded.traces;
    traces.insert(traces.end(), paths.begin(), paths.end());
  }
}

void add_recorded_options(CLI::App& command, RecordedTraces& options) {
  const char* const group = "Recorded traces";
  command
      .add_option("--traces", options.traces,
                  "Files or patterns ('run/*.json.gz'): Kineto, PyTorch execution traces, Nsight "
                  "SQLite, rocpd, tar archives of them; any number of ranks")
      ->type_name("FILES")
      ->group(group);
  command
      .add_option("--rank", options.rank, "The rank of a single trace that does not say it itself")
      ->type_name("N")
      ->group(group);
  command.add_option("--threads", options.threads, "Read so many ranks at a time (0: all cores)")
      ->type_name("N")
      ->group(group);
  command
      .add_flag("--no-link", options.no_link,
                "Leave execution traces out where there are device traces")
      ->group(group);
  command.add_flag("--tensors", options.tensors, "Add dependencies by tensor, too")->group(group);
}

void add_spec_options(CLI::App& command, study::JobDescription& job, bool positional) {
  const char* const group = "The job";
  const char* const about =
      "Specifications (YAML, JSON), or files of Hugging Face, Megatron, NeMo, DeepSpeed, Calculon, "
      "vTrain, SimAI; later ones add to earlier ones";
  if (positional) {
    command.add_option("SPEC", job.spec, about)->type_name("");
  }
  command.add_option("--spec", job.spec, positional ? "The same as an option" : about)
      ->type_name("FILES")
      ->group(group);
  for (const study::DescriptionKey& key : study::description_keys())
    command.add_option(key.option, job.*key.value, key.about)->type_name(key.type)->group(group);
  command.add_flag("--sp", job.sp, "Sequence parallel: norms and residuals are cut over --tp")
      ->group(group);
  command.add_option("--set", job.set, "Any key of the specification, e.g. kernels.fused=false")
      ->type_name("PATH=VALUE")
      ->group(group);
}

void add_work_options(CLI::App& command, study::Work& work) {
  const char* const group = "How it is worked out (the result is the same)";
  const auto option = [&](const char* name, std::string& value, const char* about) {
    command.add_option(name, value, about)->type_name("HOW")->group(group);
  };
  option("--fold", work.fold, "auto: one rank is simulated for all that are alike; or off");
  option("--collectives", work.collectives,
         "auto: ends are worked out where nothing is in the way; or messages: send every one");
  option("--skip", work.skip, "auto: iterations that repeat the one before; or off");
  command
      .add_flag("--verify-fold", work.verify_fold,
                "Simulate with and without folding and compare every rank; exit code 1 if they "
                "differ")
      ->group(group);
}

}  // namespace orrery::app
