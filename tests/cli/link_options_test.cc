// SPDX-License-Identifier: Apache-2.0
//
// Options that change the links of a cluster, in every command that has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "arguments.h"
#include "orrery/commands/call.h"
#include "orrery/commands/command.h"
#include "table_command.h"

namespace orrery::cli_test {
namespace {

using commands::FieldRecord;
using nlohmann::json;

/// The options, each with a value that it accepts.
constexpr std::pair<const char*, const char*> kLinkOptions[] = {{"--network-bandwidth", "0=2"},
                                                                {"--network-latency", "0=1us"},
                                                                {"--network-link", "0=nvlink4"}};

const FieldRecord* field_of(const app::TableCommand& command, std::string_view option) {
  for (const FieldRecord& field : command.fields())
    if (commands::first_name(field.options) == option) return &field;
  return nullptr;
}

/// The options that the command requires, and no others.
json required_of(const app::TableCommand& command) {
  json question = json::object();
  for (const FieldRecord& field : command.fields())
    if (field.is_required) question[commands::json_name(field.options)] = std::string(field.other);
  return question;
}

TEST(LinkOptions, NeedACluster) {
  app::Session session;
  const auto table = app::build_table(session);
  std::set<std::string_view> refused, with_a_cluster;
  for (const commands::Command& row : commands::all_commands()) {
    const app::TableCommand& command =
        app::table_command(*table->get_subcommand(std::string(row.name)));
    for (const auto& [option, value] : kLinkOptions) {
      if (field_of(command, option) == nullptr) continue;
      const FieldRecord* cluster = field_of(command, "--cluster");
      ASSERT_NE(cluster, nullptr) << row.name;
      if (cluster->is_required || command.bound().options.files_hold_cluster) {
        with_a_cluster.insert(row.name);
        continue;
      }
      refused.insert(row.name);
      json question = required_of(command);
      question[commands::json_name(option)] = value;
      const auto answer = commands::call(row.name, question.dump());
      const std::string label = fmt::format("{} {}: {}", row.name, option, answer.json);
      EXPECT_EQ(answer.status, 2) << label;
      const json error = json::parse(answer.json).at("error");
      EXPECT_EQ(error.at("where"), option) << label;
      EXPECT_EQ(error.at("what"), "changes links of a cluster, but no cluster is given") << label;
    }
  }
  EXPECT_EQ(with_a_cluster, (std::set<std::string_view>{"collective compare", "job together"}));
  for (const char* command : {"run", "search", "whatif", "trace stragglers", "trace scale-down",
                              "trace validate", "collective check"})
    EXPECT_TRUE(refused.contains(command)) << command;
}

}  // namespace
}  // namespace orrery::cli_test
