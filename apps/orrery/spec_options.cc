// SPDX-License-Identifier: Apache-2.0
#include "spec_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/core/units.h"
#include "orrery/workload/catalogue.h"
#include "orrery/workload/import.h"

namespace orrery::app {

namespace {

struct Flag {
  const char* name;
  const char* path;
  const char* about;
  const char* type;
};

constexpr std::array kFlags = {
    Flag{"--model", "model", "A model of the catalogue (docs/reference/models.md)", "NAME"},
    Flag{"--tp", "parallel.tp", "Tensor parallel", "N"},
    Flag{"--pp", "parallel.pp", "Pipeline stages", "N"},
    Flag{"--dp", "parallel.dp", "Data parallel", "N"},
    Flag{"--cp", "parallel.cp", "Context parallel", "N"},
    Flag{"--ep", "parallel.ep", "Expert parallel", "N"},
    Flag{"--sharding", "parallel.sharding", "none, zero1, zero2 or zero3 (FSDP)", "WHAT"},
    Flag{"--schedule", "schedule.kind", "gpipe, 1f1b, interleaved, zb_h1, zb_v, dual_pipe", "KIND"},
    Flag{"--chunks", "schedule.chunks", "Parts of the model per rank", "N"},
    Flag{"--recompute", "recompute.kind", "none, selective or full", "KIND"},
    Flag{"--global-batch", "batch.global", "Sequences per step", "N"},
    Flag{"--micro-batch", "batch.micro", "Sequences per microbatch", "N"},
    Flag{"--seq", "batch.seq", "Tokens per sequence", "N"},
    Flag{"--optimizer", "optimizer.kind", "adam, adamw, sgd, sgd_momentum or muon", "KIND"},
    Flag{"--compat", "compat", "stage: count as that generator does, mistakes too", "TOOL"}};

/// A file of any format, on top of what is there already.
Result<void> add_file(workload::Spec& spec, const std::string& path, Findings& findings) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return workload::import_into(spec, *text, path, findings);
}

Result<void> add_set(workload::Spec& spec, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    return fail(Errc::usage, "--set", fmt::format("'{}' is no assignment", assignment),
                "write PATH=VALUE, for example parallel.bucket=\"50 MB\"");
  return workload::set(spec, assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace

bool SpecOptions::given() const {
  return !files.empty() || !sets.empty() || sp ||
         std::any_of(values.begin(), values.end(),
                     [](const auto& value) { return !value.second.empty(); });
}

const std::string& SpecOptions::name() const {
  return files.empty() ? values.at("model") : files.front();
}

void add_spec_options(CLI::App& command, SpecOptions& options, bool positional) {
  const char* const group = "The job";
  const char* const about =
      "Specifications (YAML, JSON), or files of Hugging Face, Megatron, NeMo, DeepSpeed, Calculon, "
      "vTrain, SimAI; later ones add to earlier ones";
  if (positional) {
    command.add_option("SPEC", options.files, about)->type_name("");
  }
  command.add_option("--spec", options.files, positional ? "The same as an option" : about)
      ->type_name("FILES")
      ->group(group);
  for (const Flag& flag : kFlags) {
    command.add_option(flag.name, options.values[flag.path], flag.about)
        ->type_name(flag.type)
        ->group(group);
  }
  command.add_flag("--sp", options.sp, "Sequence parallel: norms and residuals are cut over --tp")
      ->group(group);
  command
      .add_option("--set", options.sets, "Any key of the specification, e.g. kernels.fused=false")
      ->type_name("PATH=VALUE")
      ->group(group);
}

Result<workload::Spec> read_spec_options(const SpecOptions& options, Findings& findings) {
  workload::Spec spec;
  if (!options.given())
    return fail(Errc::usage, "SPEC", "no job is described",
                "give a specification, or --model NAME and a plan (--tp, --pp, --dp …)");
  // Adapters have to know whose they are; flags come last, this one too.
  const std::string& model = options.values.at("model");
  if (!model.empty() && !options.files.empty()) {
    if (auto named = workload::set(spec, "model", model); !named)
      return fail(named.error().code, "--model", named.error().what, named.error().hint);
  }
  for (const std::string& path : options.files) {
    if (auto added = add_file(spec, path, findings); !added) return tl::unexpected(added.error());
  }
  for (const Flag& flag : kFlags) {
    const std::string& value = options.values.at(flag.path);
    if (value.empty()) continue;
    if (auto done = workload::set(spec, flag.path, value); !done)
      return fail(done.error().code, flag.name, done.error().what, done.error().hint);
  }
  if (options.sp) spec.parallel.sp = true;
  // A model named without anything else is trained on what its authors trained it on.
  if (options.files.empty() && options.values.at("batch.seq").empty()) {
    const workload::ModelEntry* model = workload::find_model(options.values.at("model"));
    if (model != nullptr && model->seq > 0) spec.batch.seq = model->seq;
  }
  for (const std::string& assignment : options.sets) {
    if (auto done = add_set(spec, assignment); !done) return tl::unexpected(done.error());
  }
  if (spec.model.is.empty() && options.files.empty() && options.values.at("model").empty())
    return fail(Errc::usage, "--model", "no model is given",
                "--model NAME; the names are in docs/reference/models.md");
  if (auto fine = workload::legal(spec); !fine) return tl::unexpected(fine.error());
  return spec;
}

Result<workload::Program> assemble_options(const SpecOptions& options, Findings& findings) {
  const auto spec = read_spec_options(options, findings);
  if (!spec) return tl::unexpected(spec.error());
  auto program = workload::assemble(*spec);
  if (program) findings.merge(program->findings);
  return program;
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
