// SPDX-License-Identifier: Apache-2.0
#include "question_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace orrery::app {

Result<void> check_mode(CLI::App& command, std::string_view mode) {
  for (const FieldRecord& field : table_command(command).fields) {
    if (field.modes.empty() || field.options.empty()) continue;
    std::vector<std::string> words;  // "one kernel", "'kernels fit'"
    bool fits = false;
    for (std::string_view modes = field.modes; !modes.empty();) {
      std::string one(modes.substr(0, modes.find(", ")));
      modes.remove_prefix(std::min(one.size() + 2, modes.size()));
      fits = fits || one == mode;
      if (one.front() == '\'') one.insert(1, command.get_name() + " ");
      words.push_back(std::move(one));
    }
    const std::string option = first_name(field.options);
    if (fits || command.get_option(option)->count() == 0) continue;
    return fail(Errc::usage, option, fmt::format("is only for {}", fmt::join(words, " or ")),
                "leave it out");
  }
  return {};
}

}  // namespace orrery::app
