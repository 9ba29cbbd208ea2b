// SPDX-License-Identifier: Apache-2.0
#include "spec_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "orrery/config/parameters.h"
#include "orrery/core/units.h"

namespace orrery::app {

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

std::string plan_text(const workload::Program& program) {
  const workload::Parallel& plan = program.spec.parallel;
  std::string text =
      fmt::format("{} rank{}", format_count(static_cast<std::int64_t>(program.mesh.world())),
                  program.mesh.world() == 1 ? "" : "s");
  std::string_view between = ": ";
  const auto part = [&](std::string_view name, std::int64_t size, std::string_view note = "") {
    if (size <= 1) return;
    text += fmt::format("{}{} {}{}", between, name, format_count(size), note);
    between = ", ";
  };
  part("tp", plan.tp, plan.sp ? " (sp)" : "");
  part("cp", plan.cp);
  part("ep", plan.ep);
  part("pp", plan.pp);
  part("dp", plan.dp);
  return text;
}

std::string batch_text(const workload::Spec& spec) {
  const auto schedule = config::write_value(spec.schedule.kind);
  const bool tokens = spec.model.kind == workload::ModelKind::decoder ||
                      spec.model.kind == workload::ModelKind::encoder ||
                      spec.model.kind == workload::ModelKind::encoder_decoder;
  std::string text = fmt::format("{} x {} per rank, {} in all", format_count(spec.microbatches()),
                                 format_count(spec.batch.micro), format_count(spec.global_batch()));
  if (tokens) text += fmt::format(", {} tokens each", format_count(spec.batch.seq));
  if (spec.parallel.pp > 1) text += fmt::format("; {}", schedule.get<std::string>());
  return text;
}

}  // namespace orrery::app
