// SPDX-License-Identifier: Apache-2.0
//
// orrery schema: JSON Schemas of the files this program reads, generated from the readers' own
// tables.
#include <CLI/CLI.hpp>
#include <memory>

#include "arguments.h"
#include "orrery/explore/space_file.h"
#include "orrery/platform/cluster.h"
#include "orrery/platform/variability.h"
#include "orrery/space/reference.h"
#include "orrery/study/together_file.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::app {

void add_schema(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("schema", "Print a file format's JSON Schema");
  command->description(
      "Print a file format's JSON Schema.\nAn editor that is told of it completes and checks the "
      "file.\n\n"
      "Examples:\n"
      "  orrery schema cluster\n"
      "  orrery schema workload --output workload.schema.json\n");
  const auto format = std::make_shared<std::string>();
  command
      ->add_option("FORMAT", *format,
                   "cluster, workload, variability, case-study, space or together")
      ->required()
      ->type_name("");
  session.add_options(*command, true);
  command->callback([format, &session] {
    session.command = "schema";
    session.action = [format, &session] {
      if (auto fine =
              one_of("FORMAT", *format,
                     {"cluster", "workload", "variability", "case-study", "space", "together"});
          !fine)
        return session.fail(fine.error());
      std::string text = *format == "cluster"      ? platform::cluster_schema()
                         : *format == "workload"   ? workload::spec_schema()
                         : *format == "case-study" ? space::case_study_schema()
                         : *format == "space"      ? explore::space_schema()
                         : *format == "together"   ? study::together_schema()
                                                   : platform::variability_schema();
      if (text.empty() || text.back() != '\n') text += '\n';
      // The schema is JSON already; it is the data itself, so no envelope goes around it.
      return session.deliver(session.output.empty() ? text : "", [&] { return text; });
    };
  });
}

}  // namespace orrery::app
