// SPDX-License-Identifier: Apache-2.0
//
// orrery doctor: checks this installation.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "help/doctor_file.h"
#include "orrery/commands/search/mpi_module.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/system/module_file.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/network/ns3/ns3_plugin.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/report/answer/answer.h"
#include "orrery/report/html/run_page.h"
#include "orrery/study/questions/outcome/builtin_case.h"
#include "program_commands.h"
#include "resources/build_info.h"
#include "resources/data_folder.h"
#include "session.h"

namespace orrery::app {

namespace {

struct Line {
  std::string name;
  bool ok = true;
  std::string text;
};

/// The plug-in of the network `ns3`. No package contains it.
std::string ns3_state() {
  const std::string path = module_file(model::kNs3PluginFile);
  if (path.empty()) return "not installed: './setup ns3' and a new build";
  const auto version = model::ns3_version(path);
  return version ? *version : to_string(version.error());
}

std::vector<Line> examine() {
  std::vector<Line> lines;
  lines.push_back({"version", true, version_name()});
  lines.push_back({"compiler", true, compiler_name()});
  lines.push_back({"libraries", true, library_versions()});
  lines.push_back({"networks", true, fmt::format("{}", fmt::join(network_names(), ", "))});
  lines.push_back({"rules", true, "orrery, astra"});
  const std::size_t devices = platform::devices().size(), links = platform::links().size();
  lines.push_back(
      {"catalog", devices > 0 && links > 0, fmt::format("{} devices, {} links", devices, links)});
  const auto data = data_folder();
  lines.push_back({"data", data.has_value(), data ? *data : to_string(data.error())});
  const std::size_t page = report::built_in_page().size();
  lines.push_back(
      {"web page", true,
       page > 0 ? fmt::format("built in, {}", format_bytes(Bytes(static_cast<std::int64_t>(page))))
                : "not built in; './setup --page' builds it"});
  const auto mpi = mpi_library();
  lines.push_back(
      {"MPI", true,
       mpi ? *mpi : "not installed: './setup mpi' and a new build, or the package orrery-mpi"});
  lines.push_back({"ns-3", true, ns3_state()});
  for (const Command& command : all_commands()) {
    const PlugIn& module = command.plug_in;
    if (module.file.empty()) continue;
    const bool there = !module_file(std::string(module.file)).empty();
    lines.push_back(
        {std::string(module.subject), true, std::string(there ? module.present : module.missing)});
  }
  const study::BuiltinCase test = study::run_builtin_case();
  lines.push_back({"self-test", test.exact, test.text});
  lines.push_back(
      {"memory", true,
       fmt::format("{} installed",
                   format_bytes(Bytes(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                                      ::sysconf(_SC_PAGESIZE))))});
  return lines;
}

void add_table(report::Answer& answer, const std::vector<Line>& lines, bool healthy) {
  report::Columns<Line> columns;
  columns.field("name", [](const Line& line) { return line.name; })
      .field("ok", [](const Line& line) { return line.ok; })
      .field("text", [](const Line& line) { return line.text; });
  answer.field("ok", healthy).table("lines", lines, columns);
}

void state_lines(report::Answer& answer, const std::vector<Line>& lines, bool healthy) {
  const report::Style style = answer.style();
  for (const Line& line : lines)
    answer.line(line.name, fmt::format("{}  {}", line.ok ? style.good("ok") : style.bad("no"),
                                       printable(line.text)));
  add_table(answer, lines, healthy);
}

/// What a file is.
int doctor_file(const Context& context, const std::string& path) {
  const auto facts = facts_of_file(path);
  if (!facts) return context.fail(facts.error());
  std::vector<Line> lines;
  for (const auto& [name, text] : *facts) lines.push_back({name, true, text});
  return context.deliver([&](report::Answer& answer) {
    for (const Line& line : lines) answer.line(line.name, printable(line.text));
    add_table(answer, lines, true);
  });
}

int doctor(const Context& context) {
  const std::vector<Line> lines = examine();
  const bool healthy = std::all_of(lines.begin(), lines.end(), [](auto& line) { return line.ok; });
  return context.deliver([&](report::Answer& answer) { state_lines(answer, lines, healthy); },
                         healthy ? kOk : kSaysNo);
}

struct DoctorOptions {
  std::string file;

  static constexpr auto fields =
      std::tuple{QuestionField{"file", &DoctorOptions::file, "FILE", "", kAnswer, "train.sh",
                               "A file of any kind: a trace, a job, a cluster, a log"}};
};

}  // namespace

Action add_doctor(CommandOptions& command, Context& context) {
  describe(command,
           "Versions, catalog, data, and a small simulation with a known result.\n"
           "With a file: what it is, what it holds, and which commands take it.\n"
           "\n"
           "Examples:\n"
           "  orrery doctor\n"
           "  orrery doctor train.sh\n"
           "  orrery doctor rank0.json.gz --json\n");
  const auto options = std::make_shared<DoctorOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [&context, options] {
    return options->file.empty() ? doctor(context) : doctor_file(context, options->file);
  };
}

}  // namespace orrery::app
