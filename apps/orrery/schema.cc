// SPDX-License-Identifier: Apache-2.0
//
// orrery schema: JSON Schemas of the files this program reads, generated from the readers' own
// tables, and of what its commands print with --json.
#include "schema.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "commands.h"
#include "orrery/explore/space_file.h"
#include "orrery/platform/cluster.h"
#include "orrery/platform/variability.h"
#include "orrery/report/json_keys.h"
#include "orrery/report/json_schema.h"
#include "orrery/space/reference.h"
#include "orrery/study/question_json.h"
#include "orrery/study/together_file.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::app {

namespace {

constexpr std::string_view kOutput = "output";

std::string every_output() { return report::output_schema(""); }

constexpr std::array<SchemaFile, 8> kFiles = {{{"cluster", platform::cluster_schema},
                                               {"workload", workload::spec_schema},
                                               {"variability", platform::variability_schema},
                                               {"case-study", space::case_study_schema},
                                               {"space", explore::space_schema},
                                               {"together", study::together_schema},
                                               {"question", study::question_schema},
                                               {kOutput, every_output}}};

std::vector<std::string_view> commands() {
  std::vector<std::string_view> names;
  for (const report::JsonResult& result : report::json_results()) names.push_back(result.command);
  return names;
}

/// `of`: the command whose output is asked; empty: of all.
int print_schema(const std::string& format, const std::string& of, const Session& session) {
  if (auto fine = one_of("FORMAT", format, schema_formats()); !fine)
    return session.fail(fine.error());
  if (!of.empty() && format != kOutput)
    return session.fail(Error{Errc::usage, of, "COMMAND is only for the format output", ""});
  if (auto fine = one_of("COMMAND", of, commands()); !of.empty() && !fine)
    return session.fail(fine.error());
  const auto file = std::find_if(kFiles.begin(), kFiles.end(),
                                 [&](const SchemaFile& one) { return one.format == format; });
  const std::string text = of.empty() ? schema_text(*file) : report::output_schema(of);
  // The schema is JSON already; it is the data itself, so no envelope goes around it.
  return session.deliver(session.output.empty() ? text : "", [&] { return text; });
}

}  // namespace

std::span<const SchemaFile> schema_files() { return kFiles; }

std::string schema_text(const SchemaFile& file) {
  std::string text = file.make();
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

std::vector<std::string_view> schema_formats() {
  std::vector<std::string_view> names;
  for (const SchemaFile& file : kFiles) names.push_back(file.format);
  return names;
}

Action add_schema(CLI::App& command, Session& session) {
  describe(command,
           "With `output`: of what commands print with --json.\n"
           "Editors that read it complete and check the file.\n"
           "\n"
           "Examples:\n"
           "  orrery schema cluster\n"
           "  orrery schema workload --output workload.schema.json\n"
           "  orrery schema output run\n");
  const auto format = std::make_shared<std::string>();
  const auto of = std::make_shared<std::string>();
  command.add_option("FORMAT", *format, fmt::format("{}", fmt::join(schema_formats(), ", ")))
      ->required()
      ->type_name("");
  command.add_option("COMMAND", *of, "With output: of this command alone")->type_name("");
  session.add_options(command);
  return [format, of, &session] { return print_schema(*format, *of, session); };
}

}  // namespace orrery::app
