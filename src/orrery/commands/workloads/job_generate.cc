// SPDX-License-Identifier: Apache-2.0
//
// orrery job generate: writes traces or the specification of a model and a plan.
#include <memory>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/progress.h"
#include "orrery/job_formats/exporters/write_simai.h"
#include "orrery/present/workloads/generate_answer.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/trace/io/trace_prefix.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::commands {

namespace {

int write_traces(const workload::Program& program, const Findings& findings, Context& context) {
  const std::string prefix = std::exchange(context.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, context.force); !is_free)
    return context.fail(is_free.error());
  study::ChakraWriteOptions options;
  options.prefix = prefix;
  options.overwrite = context.force;
  Progress progress(context);
  options.progress = [&](std::uint64_t ranks) {
    progress.writing_ranks(ranks, program.mesh.world());
  };
  const auto report = study::write_chakra(program, options);
  progress.clear();
  if (!report) return context.fail(report.error(), findings);
  return context.deliver([&](report::Answer& answer) {
    present::state_generate(answer, program, *report, prefix, findings);
  });
}

/// The text is the data: it has no envelope.
int deliver_text(const std::string& text, Context& context) {
  return context.deliver(context.output.empty() ? text : "", [&] { return text; });
}

std::vector<std::string_view> generated_formats() { return {"chakra", "simai", "yaml", "json"}; }

struct GenerateOptions {
  study::JobDescription job;
  std::string format = "chakra";

  static constexpr std::string_view group = "Output";
  static constexpr auto fields = std::tuple{
      UndeclaredField{&GenerateOptions::job},
      QuestionField{"format", &GenerateOptions::format, "--format", "WHAT", kAnswer, "yaml",
                    "chakra, simai, yaml or json (the specification)", generated_formats}};
};

int generate(const GenerateOptions& options, Context& context) {
  const auto& [job, format] = options;
  Findings findings;
  if (format == "chakra" && context.output.empty())
    return context.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …; or --format yaml for the specification"});
  const auto program = study::assemble(job, {}, findings);
  if (!program) return context.fail(program.error(), findings);
  if (format == "chakra") return write_traces(*program, findings, context);
  if (format == "yaml") return deliver_text(workload::to_yaml(program->spec), context);
  if (format == "json") return deliver_text(workload::to_json(program->spec), context);
  const auto text = workload::to_simai(*program);
  if (!text) return context.fail(text.error(), findings);
  return deliver_text(*text, context);
}

}  // namespace

Action add_job_generate(CommandOptions& command, Context& context) {
  describe(command,
           "Writes one Chakra trace per rank and the process groups; or SimAI's text, or the\n"
           "specification with every key filled in. A simulation needs no files: 'orrery\n"
           "run' has the same options.\n"
           "\n"
           "Examples:\n"
           "  orrery job generate --model llama-3.1-8b --tp 4 --dp 2 --global-batch 16 -o llama/w\n"
           "  orrery job generate job.yaml --set recompute.kind=full --format yaml\n");
  const auto options = std::make_shared<GenerateOptions>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  context.add_options(command);
  return [options, &context] { return generate(*options, context); };
}

}  // namespace orrery::commands
