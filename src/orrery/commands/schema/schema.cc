// SPDX-License-Identifier: Apache-2.0
//
// orrery schema: JSON Schemas of the files this program reads, generated from the readers' own
// tables, and of what its commands print with --json.
#include "orrery/commands/schema/schema.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/schema/question_schema.h"
#include "orrery/explore/space/space_file.h"
#include "orrery/platform/catalog/variability.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/report/json/output_schema.h"
#include "orrery/study/jobs/concurrency/concurrent_jobs_file.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::commands {

namespace {

std::string output_of(Context&, std::string_view command) { return report::output_schema(command); }

std::vector<std::string_view> json_commands() {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands())
    if (command.output.json) names.push_back(command.name);
  return names;
}

constexpr SchemaFile kFiles[] = {{"cluster", platform::cluster_schema},
                                 {"workload", workload::spec_schema},
                                 {"variability", platform::variability_schema},
                                 {"space", explore::space_schema},
                                 {"together", study::concurrent_jobs_schema}};
constexpr SchemaFile kOfCommands[] = {{"question", nullptr, question_schema},
                                      {"output", nullptr, output_of}};

struct SchemaOptions {
  std::string format, of;

  static constexpr auto fields =
      std::tuple{QuestionField{"format", &SchemaOptions::format, "FORMAT", "", kAnswer, "workload",
                               "The format", schema_formats}
                     .required(),
                 QuestionField{"of", &SchemaOptions::of, "COMMAND", "", kAnswer, "run",
                               "With question or output: only this command", json_commands}};
};

int print_schema(const SchemaOptions& options, Context& context) {
  const auto files = schema_files();
  const auto file = std::find_if(files.begin(), files.end(), [&](const SchemaFile& one) {
    return one.format == options.format;
  });
  if (!options.of.empty() && file->of_command == nullptr)
    return context.fail(Error{Errc::usage, options.of,
                              "COMMAND is only for the formats 'question' and 'output'", ""});
  const std::string text = schema_text(*file, context, options.of);
  // The schema is JSON already; it is the data itself, so no envelope goes around it.
  return context.deliver(context.output.empty() ? text : "", [&] { return text; });
}

}  // namespace

std::vector<SchemaFile> schema_files() {
  std::vector<SchemaFile> files(std::begin(kFiles), std::end(kFiles));
  for (const Command& command : all_commands())
    files.insert(files.end(), command.schemas.begin(), command.schemas.end());
  files.insert(files.end(), std::begin(kOfCommands), std::end(kOfCommands));
  return files;
}

std::string schema_text(const SchemaFile& file, Context& context, std::string_view command) {
  std::string text = file.make != nullptr ? file.make() : file.of_command(context, command);
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

std::vector<std::string_view> schema_formats() {
  std::vector<std::string_view> names;
  for (const SchemaFile& file : schema_files()) names.push_back(file.format);
  return names;
}

Action add_schema(CommandOptions& command, Context& context) {
  describe(command,
           "Editors use it to complete and check a file. 'question' is the schema of a\n"
           "command's options, which --json repeats; 'output' that of the JSON that it\n"
           "prints.\n"
           "\n"
           "Examples:\n"
           "  orrery schema cluster\n"
           "  orrery schema workload --output workload.schema.json\n"
           "  orrery schema output run\n");
  return action_with_options(command, context, print_schema);
}

}  // namespace orrery::commands
