// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/context.h"

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/report/json/envelope.h"
#include "orrery/result/run.h"

namespace orrery::commands {

namespace {

std::vector<std::string_view> color_words() { return {"auto", "always", "never"}; }
std::vector<std::string_view> progress_words() { return {"auto", "never", "json"}; }

constexpr auto kOutputFields = std::tuple{
    QuestionField{"json", &OutputOptions::json, "--json", "", kNothing, "true",
                  "Print the result as JSON"},
    QuestionField{"output", &OutputOptions::output, "-o,--output", "FILE", kNothing, "out.json",
                  kWritesJson},
    QuestionField{"force", &OutputOptions::force, "--force", "", kNothing, "true", "Overwrite FILE"}
        .advanced(),
    QuestionField{"quiet", &OutputOptions::quiet, "-q,--quiet", "", kNothing, "true",
                  "No notes, warnings or progress on stderr"}
        .advanced(),
    QuestionField{"color", &OutputOptions::color, "--color", "WHEN", kNothing, "never",
                  "auto, always or never", color_words}
        .advanced(),
    QuestionField{"progress", &OutputOptions::progress, "--progress", "HOW", kNothing, "never",
                  "auto, never or json (lines on stderr)", progress_words}
        .advanced()};

}  // namespace

constexpr const auto& question_table(const OutputOptions*) { return kOutputFields; }
constexpr std::string_view question_group(const OutputOptions*) { return "Output"; }

void Context::add_options(CommandOptions& options) {
  const Command& row = *find_command(options.name);
  const Output& outputs = row.output;
  add_fields(options, static_cast<OutputOptions&>(*this),
             [&](std::string_view name, std::string_view) {
               return name == "json"                        ? outputs.json
                      : name == "output" || name == "force" ? !outputs.file.empty()
                                                            : true;
             });
  if (!outputs.file.empty()) options.field("--output").help = output_description(row);
}

Result<void> Context::check_output() const {
  // Check now, not after an hour of simulation.
  return output.empty() || continues_output ? Result<void>{} : check_absent(output, force);
}

Result<void> Context::check_program(std::string_view what) const {
  if (!program_file().empty()) return {};
  return orrery::fail(Errc::usage, std::string(what), "works only on the command line",
                      "start the program `orrery` for it");
}

int Context::deliver(const report::StateAnswer& state, int code) const {
  return deliver(
      report::answer_text(state, out_style()), [&] { return report::answer_json(command, state); },
      code);
}

void Context::take_run(result::Run) const {}

std::string Context::document(const std::function<std::string()>& to_json) const {
  return report::with_question(to_json(), question);
}

}  // namespace orrery::commands
