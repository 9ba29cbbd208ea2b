// SPDX-License-Identifier: Apache-2.0
//
// orrery list: prints what the catalog has.
#include <fmt/format.h>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/present/clusters/catalog_answer.h"

namespace orrery::commands {

namespace {

struct ListOptions {
  std::string list, filter;

  static constexpr auto fields =
      std::tuple{QuestionField{"list", &ListOptions::list, "LIST", "", kAnswer, "links", "The list",
                               present::catalog_lists}
                     .required(),
                 QuestionField{"filter", &ListOptions::filter, "FILTER", "", kAnswer, "h100",
                               "Only entries with this text in their name or title"}};
};

int list(ListOptions& options, Context& context) {
  bool found = false;
  const int code = context.deliver([&](report::Answer& answer) {
    found = present::state_catalog(answer, options.list, options.filter);
  });
  if (code != kOk || found) return code;
  context.report_error({Errc::usage, options.filter,
                        fmt::format("no entry of '{}' has this text", options.list),
                        fmt::format("'orrery list {}' prints all", options.list)});
  return kSaysNo;
}

}  // namespace

std::vector<std::string_view> list_words() { return present::catalog_lists(); }

Action add_list(CommandOptions& command, Context& context) {
  describe(command,
           "Names of the catalog, which --model, --cluster, --device and cluster files accept,\n"
           "however they are spelled.\n"
           "\n"
           "Examples:\n"
           "  orrery list models llama\n"
           "  orrery list devices\n"
           "  orrery list clusters nvl72\n");
  return action_with_options(command, context, list);
}

}  // namespace orrery::commands
