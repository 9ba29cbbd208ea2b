// SPDX-License-Identifier: Apache-2.0
#include "resources/build_info.h"

#include <fmt/format.h>

#include "orrery/commands/command.h"
#include "orrery/core/system/module_file.h"
#include "orrery/report/html/run_page.h"
#include "resources/built_in_data.h"

namespace orrery::app {

using commands::all_commands;
using commands::Command;
using commands::PlugIn;

std::string version_name() { return "orrery " ORRERY_VERSION; }

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string library_versions() { return ORRERY_LIBRARIES; }

std::string version_text() {
  const auto yes_no = [](bool there) { return there ? "yes" : "no"; };
  std::string text = fmt::format(
      "{}\n"
      "commit     {}\n"
      "compiler   {}\n"
      "libraries  {}\n"
      "web page   {}\n"
      "data       {}\n"
      "plug-ins   MPI (orrery search --executor mpi): {}",
      version_name(), kCommit, compiler_name(), library_versions(),
      yes_no(!report::built_in_page().empty()),
      built_in_data().empty() ? "in a folder" : "built in",
      yes_no(!module_file("orrery_mpi.so").empty()));
  for (const Command& command : all_commands()) {
    const PlugIn& module = command.plug_in;
    if (module.file.empty()) continue;
    text += fmt::format("; {}: {}", module.label,
                        yes_no(!module_file(std::string(module.file)).empty()));
  }
  return text;
}

}  // namespace orrery::app
