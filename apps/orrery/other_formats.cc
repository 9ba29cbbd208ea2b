// SPDX-License-Identifier: Apache-2.0
#include "other_formats.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "orrery/trace/io/format.h"

namespace orrery::app {

void add_other_formats(CLI::App& command, OtherFormats& options) {
  const char* const group = "Other formats";
  command.add_option("--npus", options.npus, "ASTRA-sim 1.0 text: for so many ranks")
      ->type_name("N")
      ->group(group);
  command.add_option("--passes", options.passes, "ASTRA-sim 1.0 text: so many iterations")
      ->type_name("N")
      ->group(group);
  command.add_flag("--large", options.large, "dot and GraphML of more than 10,000 nodes")
      ->group(group);
}

int convert_other(const std::vector<std::string>& paths, const OtherFormats& options,
                  Session& session) {
  (void)options;
  return session.fail({Errc::input_unsupported, paths.front(), "cannot be converted", ""});
}

}  // namespace orrery::app
