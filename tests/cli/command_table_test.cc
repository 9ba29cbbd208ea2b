// SPDX-License-Identifier: Apache-2.0
//
// The table of commands, and what is derived from it: --help, manual pages, completion,
// transcripts, docs/reference/commands.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "arguments.h"
#include "exit_codes.h"
#include "files.h"
#include "help/completion.h"
#include "help/manual.h"
#include "help_text.h"
#include "orrery/commands/command.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/text/text.h"
#include "orrery/report/terminal_text.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

using commands::Command;
using commands::Group;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Command> shown_commands() {
  std::vector<Command> shown;
  for (const Command& command : commands::all_commands())
    if (command.group != Group::hidden) shown.push_back(command);
  return shown;
}

class CommandTable : public testing::Test {
 protected:
  [[nodiscard]] const CLI::App& parsed(const Command& command) const {
    return *table_->get_subcommand(std::string(command.name));
  }

  app::Session session_;
  std::unique_ptr<CLI::App> table_ = app::build_table(session_);
};

TEST_F(CommandTable, HasEachCommandOnceByGroup) {
  std::set<std::string_view> names;
  Group last = Group::everyday;
  for (const Command& command : shown_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_GE(command.group, last) << command.name << ": groups stand together, in their order";
    last = command.group;
    const commands::GroupInfo& group = describe(command.group);
    EXPECT_FALSE(group.heading.empty()) << command.name;
    EXPECT_EQ(command.name.find(' ') != std::string_view::npos, !group.word.empty())
        << command.name;
    EXPECT_TRUE(command.name.starts_with(group.word)) << command.name;
  }
  EXPECT_EQ(names.size() + 2, commands::all_commands().size())
      << "install-files and answer-question are hidden";
}

TEST_F(CommandTable, SummariesAreOneLine) {
  for (const Command& command : shown_commands()) {
    EXPECT_THAT(std::string(command.summary), testing::MatchesRegex("[A-Z].*[^.]"));
    EXPECT_LE(command.summary.size(), 70u) << command.name;
  }
}

TEST_F(CommandTable, FindsOldNames) {
  std::set<std::string_view> names;
  for (const Command& command : commands::all_commands()) names.insert(command.name);
  for (const Command& command : commands::all_commands())
    for (const std::string_view old : list_items(command.old_names)) {
      if (old.empty()) continue;
      EXPECT_TRUE(names.insert(old).second) << old << " is another command, too";
      const Command* found = commands::find_command(old);
      ASSERT_NE(found, nullptr) << old;
      EXPECT_EQ(found->name, command.name);
    }
  EXPECT_EQ(commands::find_command(""), nullptr);
  EXPECT_EQ(commands::find_command(","), nullptr);
}

/// Lines of --help that are too long, or that CLI11 would write.
std::vector<std::string> bad_help_lines(const std::string& help) {
  std::vector<std::string> bad;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const bool internal = line.find(":value in {") != std::string::npos ||
                          line.find("Excludes:") != std::string::npos ||
                          line.find(" x 2") != std::string::npos;
    if (report::columns(line) > app::kHelpWidth || internal) bad.push_back(line);
  }
  return bad;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(CommandTable, HelpOpensWithTheSummaryAndExamples) {
  for (const Command& command : shown_commands()) {
    const std::string help = parsed(command).help();
    EXPECT_THAT(help, StartsWith(std::string(command.summary) + ".\n\nExamples:\n"));
    EXPECT_THAT(help.substr(0, help.find("\nUsage:")),
                HasSubstr("  orrery " + std::string(command.name)));
  }
}

TEST_F(CommandTable, HelpFitsOnAScreen) {
  constexpr std::size_t kMostLines = 60;
  EXPECT_LE(lines_in(app::program_help()), kMostLines);
  EXPECT_THAT(bad_help_lines(app::program_help()), testing::IsEmpty());
  for (const Command& command : shown_commands()) {
    const std::string help = parsed(command).help();
    EXPECT_LE(lines_in(help), kMostLines) << command.name;
    EXPECT_THAT(bad_help_lines(help), testing::IsEmpty()) << command.name;
    const std::string all = parsed(command).help("", CLI::AppFormatMode::All);
    EXPECT_THAT(bad_help_lines(all), testing::IsEmpty()) << command.name;
    if (describe(command.group).word.empty()) continue;
    EXPECT_THAT(app::group_help(command.group), HasSubstr("  " + std::string(command.name) + " "));
    EXPECT_THAT(bad_help_lines(app::group_help(command.group)), testing::IsEmpty());
  }
}

// Every option is listed by --help-all, and by --help or counted there.
TEST_F(CommandTable, HelpListsEveryOption) {
  for (const Command& command : shown_commands()) {
    const auto& options = dynamic_cast<const app::TableCommand&>(parsed(command));
    const std::string help = parsed(command).help();
    const std::string all = parsed(command).help("", CLI::AppFormatMode::All);
    std::size_t hidden = 0;
    for (const commands::FieldRecord& field : options.fields()) {
      if (field.options.empty() || field.group.empty()) continue;
      const std::string name = commands::first_name(field.options);
      EXPECT_THAT(all, HasSubstr(name)) << command.name;
      hidden += field.is_advanced && !field.is_required ? 1 : 0;
    }
    EXPECT_EQ(help.find("--help-all") != std::string::npos, hidden > 0) << command.name;
  }
}

TEST_F(CommandTable, HasTheOutputsOfTheOptions) {
  for (const Command& command : commands::all_commands()) {
    const CLI::App& options = parsed(command);
    EXPECT_EQ(options.get_option_no_throw("--json") != nullptr, command.output.json)
        << command.name;
    const CLI::Option* const output = options.get_option_no_throw("--output");
    EXPECT_EQ(output == nullptr ? "" : output->get_description(),
              commands::output_description(command))
        << command.name;
  }
}

// Of a build that lacks add-ons.
TEST_F(CommandTable, NamesTheAddOnOfAMissingPart) {
  EXPECT_FALSE(commands::missing_part_error("run"));
  for (const commands::MissingPart& part : commands::missing_parts()) {
    const auto error = commands::missing_part_error(part.words);
    ASSERT_TRUE(error) << part.words;
    EXPECT_THAT(to_string(*error), HasSubstr("is part of the add-on " + std::string(part.addon) +
                                             ", which this build lacks"));
  }
}

// roff writes "-" as "\-".
std::string plain(const std::string& page) {
  return std::regex_replace(page, std::regex(R"(\\-)"), "-");
}

TEST_F(CommandTable, EachHasAManualPage) {
  const std::string program = plain(app::manual_page(*table_, nullptr));
  for (const Command& command : shown_commands()) {
    std::string name = "orrery-" + std::string(command.name);
    std::replace(name.begin(), name.end(), ' ', '-');
    EXPECT_EQ(app::manual_name(&command), name + ".1");
    const std::string page = plain(app::manual_page(*table_, &command));
    EXPECT_THAT(page, HasSubstr(".SH NAME\n" + name + " - " + std::string(command.summary) + "\n"));
    EXPECT_THAT(page, HasSubstr("\n.SH EXAMPLES\n"));
    EXPECT_THAT(program, HasSubstr("\n.SS " + std::string(describe(command.group).heading) + "\n"));
    EXPECT_THAT(program, HasSubstr("\\fB" + std::string(command.name) + "\\fR\n" +
                                   std::string(command.summary) + ".\n"));
    EXPECT_THAT(program, HasSubstr("\\fB" + name + "\\fR(1)"));
  }
}

TEST_F(CommandTable, EachIsCompleted) {
  const std::string bash = app::completion_script(*table_, "bash");
  const std::string zsh = app::completion_script(*table_, "zsh");
  const std::string fish = app::completion_script(*table_, "fish");
  for (const Command& command : shown_commands()) {
    const std::string name(command.name), last = name.substr(name.rfind(' ') + 1);
    const bool in_group = name != last;
    EXPECT_THAT(bash, HasSubstr("\n    " + (in_group ? "'" + name + "'" : name) + ") "));
    EXPECT_THAT(zsh, HasSubstr("\n    '" + name + "')"));
    EXPECT_THAT(fish, HasSubstr(" -f -a " + last + " -d "));
    if (command.words.list == nullptr) continue;
    for (const std::string_view word : command.words.list())
      EXPECT_THAT(fish, testing::ContainsRegex("seen_subcommand_from " + last + "'( -f)? -a '.*" +
                                               std::string(word)));
  }
}

TEST_F(CommandTable, EachHasATranscript) {
  std::vector<std::string> lines;
  for (const std::string& path : transcripts()) {
    std::vector<std::string> bad;
    const std::string text = read(std::string(core_testing::kSourceFolder) + "/" + path);
    for (const Step& step : parse_transcript(text, bad)) lines.push_back(step.command);
  }
  for (const Command& command : shown_commands()) {
    // "orrery run" in a pipe or a loop, too; not "orrery run --help".
    const std::regex runs("(^|[^-/\\w])orrery " + std::string(command.name) +
                          "( (?!--help)|$|[;|)])");
    EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                            [&](const std::string& line) { return std::regex_search(line, runs); }))
        << "no transcript runs " << command.name;
  }
}

TEST_F(CommandTable, HasTheFirstCommands) {
  std::ifstream file(std::string(core_testing::kSourceFolder) + "/apps/orrery/first_commands.txt");
  std::size_t count = 0;
  for (std::string name; std::getline(file, name); ++count)
    EXPECT_NE(commands::find_command(name), nullptr) << name;
  EXPECT_GT(count, 0u);
}

/// The page docs/reference/commands.md.
std::string commands_page() {
  std::string page =
      "# Commands\n\n"
      "<!-- Generated from the tables of commands. To renew it, run the cli tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n"
      "`orrery COMMAND --help` prints the options of a command with examples, `orrery man COMMAND` "
      "the same as a manual page; [options](options.md) lists those of all commands. A command "
      "prints its result as text on stdout; `--json` prints "
      "[JSON](run.md#the-json) instead. Notes, warnings, progress and errors are on stderr. "
      "Other options write more files: plots, web pages, timelines.\n";
  Group group = Group::hidden;
  for (const Command& command : shown_commands()) {
    if (std::exchange(group, command.group) != command.group)
      page += "\n## " + std::string(describe(group).heading) +
              "\n\n| command | what it does | `--json` | `-o FILE` |\n|---|---|---|---|\n";
    page += "| `" + std::string(command.name) + "` | " + std::string(command.summary) + " | " +
            (command.output.json ? "yes" : "no") + " | " +
            (command.output.file.empty() ? "no" : commands::output_description(command)) + " |\n";
  }
  page += "\n[Exit codes](exit-codes.md) have their own page.\n";
  return page;
}

/// The page docs/reference/exit-codes.md.
std::string exit_codes_page() {
  std::string page =
      "# Exit codes\n\n"
      "<!-- Generated from the table of exit codes. To renew it, run the cli tests with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n"
      "All commands use these codes. `orrery help exit-codes` prints them, and "
      "`orrery_status` of [the library](../library.md) returns them.\n\n"
      "| code | meaning |\n|---|---|\n";
  for (const app::ExitCode& code : app::kExitCodes)
    page += "| " + std::to_string(code.code) + " | " + std::string(code.meaning) + " |\n";
  return page;
}

TEST_F(CommandTable, ThePageOfExitCodesIsThatOfTheTable) {
  const std::string path =
      std::string(core_testing::kSourceFolder) + "/docs/reference/exit-codes.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << exit_codes_page();
  EXPECT_EQ(read(path), exit_codes_page()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

TEST_F(CommandTable, ThePageIsThatOfTheTable) {
  if (!missing_commands().empty()) GTEST_SKIP() << "the page has the commands of all add-ons";
  const std::string path = std::string(core_testing::kSourceFolder) + "/docs/reference/commands.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << commands_page();
  EXPECT_EQ(read(path), commands_page()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace orrery::cli_test
