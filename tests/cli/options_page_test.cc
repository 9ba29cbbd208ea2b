// SPDX-License-Identifier: Apache-2.0
//
// docs/reference/options.md, from the tables of options.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "arguments.h"
#include "files.h"
#include "orrery/commands/command.h"
#include "orrery/core/paths_testing.h"
#include "table_command.h"

namespace orrery::cli_test {
namespace {

using app::TableCommand;
using commands::Command;
using commands::FieldRecord;

/// Options that so many commands have stand once, before those of the commands.
constexpr std::size_t kShared = 3;

/// The one meaning of each option that several commands describe in their own words.
const std::map<std::string, std::string> kMeanings = {
    {"--all", "every row, not only the largest"},
    {"--change", "a change of the job, the recording or the cluster"},
    {"--chunk-order", "the order of dimensions for chunks"},
    {"--cluster", "the cluster: a file, or a name of the catalog such as h100-sxm:64"},
    {"--collective-algorithm", "the algorithm of collectives, instead of the cluster's"},
    {"--compute", "the source of compute times"},
    {"--deadline", "the time available for --tokens"},
    {"--device", "a device of the catalog"},
    {"--device-sheets", "a file with data sheets of devices that are not in the catalog"},
    {"--devices", "a number of devices"},
    {"--dtype", "a number format"},
    {"--effects", "predict again without each effect in turn"},
    {"--epochs", "epochs of neural networks"},
    {"--from", "the begin of a time window"},
    {"--gpu", "a device of the catalog"},
    {"--groups", "process groups of Chakra traces"},
    {"--html", "write one self-contained web page"},
    {"--kernel-model", "a model of kernel times that `kernels fit` wrote"},
    {"--kernel-table", "a table of measured kernels"},
    {"--kineto", "write times as a Kineto trace"},
    {"--network", "the network model"},
    {"--network-bandwidth", "the bandwidth of the links of a dimension"},
    {"--network-latency", "the latency of the links of a dimension"},
    {"--network-link", "the links of a dimension, by their name in the catalog"},
    {"--objective", "what is minimized"},
    {"--plot", "write an SVG"},
    {"--price", "the price of a device per hour; of several devices or networks, one for each"},
    {"--ranks", "a list of ranks: 0-7,16"},
    {"--repair", "drop and count damaged nodes and edges"},
    {"--replicate", "every rank runs the single trace"},
    {"--salt", "the secret key of new names"},
    {"--search", "search, where the command does not by itself"},
    {"--seed", "the random seed"},
    {"--simulated", "the number of results with the best estimates to simulate"},
    {"--size", "the full buffer of a collective"},
    {"--steps", "the number of steps in the traces"},
    {"--systolic", "a systolic array, as a configuration of SCALE-Sim"},
    {"--threads", "the number of threads, 0: all cores"},
    {"--to", "the end of a time window"},
    {"--tokens", "the number of tokens to train on"},
    {"--top", "the number of rows to print, or to try"},
    {"--tp", "the degree of tensor parallelism"},
    {"--without", "disable an effect"},
    {"--workload", "the prefix of Chakra traces"},
};

/// A cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string made;
  for (const char c : text) made += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return made;
}

std::string stage_words(unsigned stages) {
  std::vector<std::string_view> words;
  if ((stages & config::kCluster) != 0) words.emplace_back("cluster");
  if ((stages & config::kLoad) != 0) words.emplace_back("workload");
  if ((stages & config::kAnswer) != 0) words.emplace_back("answer");
  if ((stages & config::kRunFile) != 0) words.emplace_back("run file");
  return words.empty() ? "no figure" : fmt::format("{}", fmt::join(words, ", "));
}

std::string row_of(const FieldRecord& field, const CLI::Option& option) {
  std::string value = field.choices.empty() || field.choices.size() > 12
                          ? std::string(field.kind.words)
                          : fmt::format("`{}`", fmt::join(field.choices, "`, `"));
  if (field.kind.is_list) value = "list: " + value;
  const auto values = field.values();
  const bool plain = values.size() != 1 || field.kind.is_list || values.front().empty() ||
                     values.front() == "false";
  std::string about = option.get_description();
  if (!field.modes.empty()) about += fmt::format(" (only of {})", field.modes);
  return fmt::format("| `{}` | {} | {} | {} | {} |", field.options, value,
                     plain ? "" : fmt::format("`{}`", values.front()), cell(about),
                     stage_words(field.stages));
}

constexpr std::string_view kHead =
    "| option | value | default | | changes |\n|---|---|---|---|---|\n";

std::string options_page() {
  app::Session session;
  const auto table = app::build_table(session);
  std::vector<std::string> order;
  std::map<std::string, std::size_t> commands_with;
  std::map<std::string_view, std::vector<std::pair<std::string, std::string>>> rows;
  for (const Command& command : commands::all_commands()) {
    if (command.group == commands::Group::hidden) continue;
    const TableCommand& parsed =
        app::table_command(*table->get_subcommand(std::string(command.name)));
    for (const FieldRecord& field : parsed.fields()) {
      if (field.options.empty()) continue;
      const std::string name = commands::first_name(field.options);
      std::string row = row_of(field, *parsed.get_option(name));
      if (++commands_with[row] == kShared) order.push_back(row);
      rows[command.name].emplace_back(name, std::move(row));
    }
  }
  std::string page =
      "# Options\n\n"
      "<!-- Generated from the tables of options. To renew it, run the cli tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n"
      "`orrery COMMAND --help` prints the same with examples. `--json` prints, as `question`, the "
      "options that differ from their defaults and that figures follow from: `--num-layers` is "
      "`num_layers` there, and `orrery schema question COMMAND` prints the JSON Schema. The last "
      "column lists what an option changes.\n\n"
      "## One meaning per option\n\n"
      "An option means the same in every command. Commands describe some of them in their own "
      "words:\n\n| option | meaning |\n|---|---|\n";
  for (const auto& [option, meaning] : kMeanings)
    page += fmt::format("| `{}` | {} |\n", option, cell(meaning));
  page += "\n## Options of several commands\n\n";
  page += kHead;
  for (const std::string& row : order) page += row + "\n";
  for (const Command& command : commands::all_commands()) {
    if (command.group == commands::Group::hidden) continue;
    page += fmt::format("\n## {}\n\n{}.\n", command.name, command.summary);
    std::vector<std::string> shared;
    std::string own;
    for (const auto& [name, row] : rows[command.name])
      if (commands_with[row] >= kShared)
        shared.push_back(name);
      else
        own += row + "\n";
    if (!own.empty()) page += fmt::format("\n{}{}", kHead, own);
    if (!shared.empty()) page += fmt::format("\nShared: `{}`.\n", fmt::join(shared, "`, `"));
  }
  return page;
}

/// The descriptions of an option, and the kinds of its values, each with a command.
struct Uses {
  std::map<std::string, std::string> descriptions, kinds;
};

std::map<std::string, Uses> uses_of_options() {
  app::Session session;
  const auto table = app::build_table(session);
  std::map<std::string, Uses> uses;
  for (const Command& command : commands::all_commands()) {
    const TableCommand& parsed =
        app::table_command(*table->get_subcommand(std::string(command.name)));
    for (const FieldRecord& field : parsed.fields()) {
      if (!field.options.starts_with('-')) continue;
      Uses& use = uses["--" + commands::json_name(field.options)];
      use.descriptions.emplace(field.about, command.name);
      use.kinds.emplace(field.kind.json, command.name);
    }
  }
  return uses;
}

// An option with several descriptions needs one meaning that holds for all of them (see
// docs/decisions/0033-command-groups.md).
TEST(OptionsPage, HasOneMeaningPerOption) {
  if (!missing_commands().empty()) GTEST_SKIP() << "the meanings are those of all add-ons";
  std::set<std::string> known;
  for (const auto& [option, meaning] : kMeanings) {
    std::string name = option;
    std::replace(name.begin() + 2, name.end(), '-', '_');
    known.insert(name);
  }
  // "2,4" of a search is text; files of a shell script and of a job are text, too.
  const std::set<std::string> several_kinds = {"--tp"};
  for (const auto& [option, use] : uses_of_options()) {
    std::string all;
    for (const auto& [about, command] : use.descriptions) all += "\n  " + command + ": " + about;
    EXPECT_EQ(use.descriptions.size() > 1, known.contains(option)) << option << all;
    if (use.kinds.size() > 1) {
      EXPECT_TRUE(several_kinds.contains(option))
          << option << " has values of " << use.kinds.size() << " kinds" << all;
    }
  }
}

TEST(OptionsPage, IsThatOfTheTables) {
  if (!missing_commands().empty()) GTEST_SKIP() << "the page has the commands of all add-ons";
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/options.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << options_page();
  EXPECT_EQ(read(path), options_page()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::cli_test
