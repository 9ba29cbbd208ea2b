// SPDX-License-Identifier: Apache-2.0
//
// orrery doctor: is this installation whole?
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "command.h"
#include "orrery/core/models/network_help.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/report/html/run_page.h"
#include "orrery/report/json/envelope.h"
#include "orrery/study/questions/outcome/builtin_case.h"
#include "resources/build_info.h"
#include "resources/data_folder.h"
#include "resources/module_file.h"
#include "search/mpi_module.h"

namespace orrery::app {

namespace {

struct Line {
  std::string name;
  bool ok = true;
  std::string text;
};

std::vector<Line> examine() {
  std::vector<Line> lines;
  lines.push_back({"version", true, version_name()});
  lines.push_back({"compiler", true, compiler_name()});
  lines.push_back({"libraries", true, library_versions()});
  lines.push_back({"networks", true, fmt::format("{}", fmt::join(network_names(), ", "))});
  lines.push_back({"rules", true, "orrery, astra"});
  const std::size_t devices = platform::devices().size(), links = platform::links().size();
  lines.push_back(
      {"catalogue", devices > 0 && links > 0, fmt::format("{} devices, {} links", devices, links)});
  const auto data = data_folder();
  lines.push_back({"data", data.has_value(), data ? *data : to_string(data.error())});
  const std::size_t page = report::built_in_page().size();
  lines.push_back(
      {"web page", true,
       page > 0 ? fmt::format("built in, {}", format_bytes(Bytes(static_cast<std::int64_t>(page))))
                : "not built in; './setup --page' does that"});
  const auto mpi = mpi_library();
  lines.push_back({"MPI", true,
                   mpi ? *mpi : "not there: './setup mpi' and a build, or the package orrery-mpi"});
  for (const Command& command : commands()) {
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

int doctor(Session& session) {
  const std::vector<Line> lines = examine();
  const report::Style style = session.out_style();
  report::Sheet sheet(style);
  bool healthy = true;
  for (const Line& line : lines) {
    sheet.add(line.name, fmt::format("{}  {}", line.ok ? style.good("ok") : style.bad("no"),
                                     printable(line.text)));
    healthy = healthy && line.ok;
  }
  const auto json = [&] {
    return report::envelope("doctor", {}, [&](report::JsonWriter& writer) {
      writer.begin_object().field("ok", healthy).key("lines").begin_array();
      for (const Line& line : lines) {
        writer.begin_object()
            .field("name", line.name)
            .field("ok", line.ok)
            .field("text", line.text)
            .end_object();
      }
      writer.end_array().end_object();
    });
  };
  return session.deliver(sheet.text(), json, healthy ? kOk : kSaysNo);
}

}  // namespace

Action add_doctor(CLI::App& command, Session& session) {
  describe(command,
           "Versions, catalogue, data, and a small simulation with a known result.\n"
           "\n"
           "Examples:\n"
           "  orrery doctor\n"
           "  orrery doctor --json\n");
  session.add_options(command);
  return [&session] { return doctor(session); };
}

}  // namespace orrery::app
