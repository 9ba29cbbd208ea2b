// SPDX-License-Identifier: Apache-2.0
#include "command_questions.h"

namespace orrery::cli_test {
namespace {

struct Added {
  std::vector<CommandQuestion> questions;
  std::map<std::string_view, std::string_view> tested_elsewhere;
};

// Files add theirs in any order, before main().
Added& added() {
  static Added all;
  return all;
}

}  // namespace

const std::vector<CommandQuestion>& addon_questions() { return added().questions; }

const std::map<std::string_view, std::string_view>& addons_tested_elsewhere() {
  return added().tested_elsewhere;
}

bool add_question(const CommandQuestion& question) {
  added().questions.push_back(question);
  return true;
}

bool add_tested_elsewhere(std::string_view command, std::string_view where) {
  return added().tested_elsewhere.emplace(command, where).second;
}

}  // namespace orrery::cli_test
