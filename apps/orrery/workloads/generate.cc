// SPDX-License-Identifier: Apache-2.0
//
// orrery generate: a model and a plan, as traces or as the specification they amount to.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.h"
#include "options/input_options.h"
#include "orrery/job_formats/exporters/write_simai.h"
#include "orrery/present/workloads/generate_text.h"
#include "orrery/study/jobs/program_to_chakra.h"
#include "orrery/trace/io/trace_prefix.h"
#include "orrery/workload/program/step_count.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

int write_traces(const workload::Program& program, const Findings& findings, Session& session) {
  const std::string prefix = std::exchange(session.output, "");
  if (auto is_free = trace::check_prefix_unused(prefix, session.force); !is_free)
    return session.fail(is_free.error());
  study::ChakraWriteOptions options;
  options.prefix = prefix;
  options.overwrite = session.force;
  Progress progress(session);
  options.progress = [&](std::uint64_t ranks) {
    progress.writing_ranks(ranks, program.mesh.world());
  };
  const auto report = study::write_chakra(program, options);
  progress.clear();
  if (!report) return session.fail(report.error(), findings);
  return session.deliver(
      present::generate_text(program, *report, prefix, findings, session.out_style()),
      [&] { return present::generate_json(program, *report, prefix, findings); });
}

/// Text that is the data itself: no envelope goes around it.
int deliver_text(const std::string& text, Session& session) {
  return session.deliver(session.output.empty() ? text : "", [&] { return text; });
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

int generate(const GenerateOptions& options, Session& session) {
  const auto& [job, format] = options;
  Findings findings;
  if (format == "chakra" && session.output.empty())
    return session.fail({Errc::usage, "--output", "is missing",
                         "-o PREFIX for PREFIX.0.et …; or --format yaml for the specification"});
  const auto program = study::assemble(job, {}, findings);
  if (!program) return session.fail(program.error(), findings);
  if (format == "chakra") return write_traces(*program, findings, session);
  if (format == "yaml") return deliver_text(workload::to_yaml(program->spec), session);
  if (format == "json") return deliver_text(workload::to_json(program->spec), session);
  const auto text = workload::to_simai(*program);
  if (!text) return session.fail(text.error(), findings);
  return deliver_text(*text, session);
}

}  // namespace

Action add_generate(CLI::App& command, Session& session) {
  describe(command,
           "Writes one Chakra trace per rank and the process groups; or SimAI's text, or the\n"
           "specification with every key filled in. A simulation needs no files: 'orrery run'\n"
           "has the same options.\n"
           "\n"
           "Examples:\n"
           "  orrery generate --model llama-3.1-8b --tp 4 --dp 2 --global-batch 16 -o llama/w\n"
           "  orrery generate job.yaml --set recompute.kind=full --format yaml\n");
  const auto options = std::make_shared<GenerateOptions>();
  add_spec_options(command, options->job, true);
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return generate(*options, session); };
}

}  // namespace orrery::app
