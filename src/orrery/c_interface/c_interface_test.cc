// SPDX-License-Identifier: Apache-2.0
//
// The C interface as a C program uses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "orrery/commands/command_table.h"
#include "orrery/orrery.h"
#include "orrery/result/run_file/table_schema.h"

namespace orrery::commands {

// The tests of this room have the commands of the core.
std::span<const Command> all_commands() { return kCoreCommands; }
std::span<const AddedMode> added_modes() { return {}; }
std::span<const MissingPart> missing_parts() { return {}; }

}  // namespace orrery::commands

namespace {

using ::testing::HasSubstr;

constexpr const char* kQuestion =
    R"({"model": "llama-3.1-8b", "tp": 4, "global_batch": 8, "cluster": "h100-sxm:8"})";

TEST(CInterface, NamesItsVersionAndCommands) {
  EXPECT_EQ(orrery_api_version(), ORRERY_API_VERSION);
  EXPECT_STREQ(orrery_version(), ORRERY_VERSION);
  EXPECT_THAT(orrery_commands(), HasSubstr("\nmemory\n"));
}

TEST(CInterface, AnswersWithoutOptions) {
  orrery_answer* answer =
      orrery_call("job count", R"({"model": "llama-3.1-8b", "tp": 4})", nullptr);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(orrery_status(answer), 0);
  EXPECT_THAT(orrery_json(answer), HasSubstr("\"command\": \"job count\""));
  EXPECT_THAT(orrery_text(answer), HasSubstr("llama-3.1-8b, 4 ranks"));
  EXPECT_STREQ(orrery_table_names(answer), "");
  ArrowSchema schema{};
  ArrowArray array{};
  EXPECT_EQ(orrery_table(answer, "rank", &schema, &array), 2);
  EXPECT_EQ(schema.release, nullptr);
  orrery_free(answer);
  orrery_free(nullptr);
}

TEST(CInterface, ReportsErrors) {
  for (const char* question : {R"({"cluster": "h100-sxm:8"})", "{", R"({"tp": "4"})"}) {
    orrery_answer* answer = orrery_call("run", question, nullptr);
    EXPECT_EQ(orrery_status(answer), 2);
    EXPECT_THAT(orrery_json(answer), HasSubstr("\"error\""));
    EXPECT_THAT(orrery_notes(answer), HasSubstr("error: "));
    orrery_free(answer);
  }
  orrery_answer* answer = orrery_call(nullptr, nullptr, nullptr);
  EXPECT_EQ(orrery_status(answer), 2);
  orrery_free(answer);
}

TEST(CInterface, CallsBack) {
  struct Counts {
    int progress = 0, cancelled = 0;
  } counts;
  orrery_call_options options{};
  options.user = &counts;
  options.progress = [](void* user, const char* phase, const char* unit, std::uint64_t,
                        std::uint64_t) {
    EXPECT_NE(std::strlen(phase), 0u);
    EXPECT_NE(std::strlen(unit), 0u);
    ++static_cast<Counts*>(user)->progress;
  };
  options.cancelled = [](void* user) {
    return ++static_cast<Counts*>(user)->cancelled > 2 ? 1 : 0;
  };
  orrery_answer* answer = orrery_call(
      "search", R"({"model": "llama-3-70b", "gpu": ["h100-sxm"], "gpus": [64]})", &options);
  EXPECT_EQ(orrery_status(answer), 130);
  EXPECT_GE(counts.progress, 2);
  orrery_free(answer);
}

TEST(CInterface, AsksForTimes) {
  struct Asked {
    int kernels = 0, messages = 0;
    double factor = 1;
  } asked;
  orrery_models models{};
  models.user = &asked;
  models.kernel_time = [](void* user, const char* about, double predicted) {
    auto& counts = *static_cast<Asked*>(user);
    ++counts.kernels;
    EXPECT_THAT(about, HasSubstr("\"device\": \"h100-sxm\""));
    return predicted * counts.factor;
  };
  models.network_time = [](void* user, const char* about, double predicted) {
    ++static_cast<Asked*>(user)->messages;
    EXPECT_THAT(about, HasSubstr("\"kind\": \""));
    return predicted;
  };
  const auto call = [&](const char* command, const char* question) {
    orrery_answer* answer = orrery_call_with_models(command, question, nullptr, &models);
    const std::pair result(orrery_status(answer), std::string(orrery_json(answer)));
    orrery_free(answer);
    return result;
  };
  EXPECT_EQ(call("run", kQuestion).first, 0);
  EXPECT_GT(asked.kernels, 0);
  EXPECT_GT(asked.messages, 0);
  asked.factor = 2;
  EXPECT_THAT(call("run", kQuestion).second, HasSubstr("time_from_callable"));
  for (const double factor : {-1.0, 0.0, 1e300}) {
    asked.factor = factor;
    EXPECT_EQ(call("run", kQuestion).first, 130) << factor;
  }
  asked.factor = 1;
  const int before = asked.kernels;
  EXPECT_EQ(call("memory", R"({"model": "llama-3.1-8b", "device": "h100-sxm"})").first, 2);
  EXPECT_EQ(asked.kernels, before);
}

TEST(CInterface, HandsOutTheTablesOfARun) {
  orrery_call_options options{};
  options.keep_run = 1;
  ArrowSchema schema;
  ArrowArray array;
  orrery_answer* answer = orrery_call("run", kQuestion, &options);
  ASSERT_EQ(orrery_table(answer, "rank", &schema, &array), 0);
  EXPECT_EQ(array.length, 8);
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_STREQ(schema.children[0]->name, "id");
  EXPECT_EQ(static_cast<const std::int64_t*>(array.children[0]->buffers[1])[7], 7);
  EXPECT_EQ(orrery_table(answer, "no_such_table", &schema, &array), 2);
  // A consumer may move a child out; the others go with their parent, and all outlive the answer.
  orrery_free(answer);
  ArrowArray moved = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(static_cast<const std::int64_t*>(moved.buffers[1])[3], 3);
  moved.release(&moved);
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
}

TEST(CInterface, HandsOutTheNodesOfARank) {
  orrery_call_options options{};
  options.keep_run = 1;
  ArrowSchema schema;
  ArrowArray array;
  orrery_answer* answer = orrery_call("run", kQuestion, &options);
  ASSERT_EQ(orrery_view(answer, "event", 3, &schema, &array), 0);
  EXPECT_GT(array.length, 0);
  EXPECT_STREQ(schema.children[0]->name, "rank");
  EXPECT_EQ(static_cast<const std::int64_t*>(array.children[0]->buffers[1])[0], 3);
  array.release(&array);
  schema.release(&schema);
  ASSERT_EQ(orrery_view(answer, "critical_path", -1, &schema, &array), 0);
  EXPECT_GT(array.length, 0);
  array.release(&array);
  schema.release(&schema);
  EXPECT_EQ(orrery_view(answer, "event", 8, &schema, &array), 2);
  EXPECT_EQ(orrery_view(answer, "event", -2, &schema, &array), 2);
  EXPECT_EQ(orrery_view(answer, "rank", 0, &schema, &array), 2);
  orrery_free(answer);
}

TEST(CInterface, EveryTableHasItsDeclaredColumns) {
  orrery_call_options options{};
  options.keep_run = 1;
  orrery_answer* answer = orrery_call("run", kQuestion, &options);
  std::string names = orrery_table_names(answer);
  for (const orrery::result::Table& table : orrery::result::tables()) {
    EXPECT_THAT(names, HasSubstr(std::string(table.name) + "\n"));
    ArrowSchema schema;
    ArrowArray array;
    ASSERT_EQ(orrery_table(answer, std::string(table.name).c_str(), &schema, &array), 0);
    std::set<std::string> columns;
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      columns.insert(schema.children[i]->name);
      EXPECT_EQ(array.children[i]->length, array.length) << table.name;
      EXPECT_EQ(array.children[i]->n_buffers, *schema.children[i]->format == 'U' ? 3 : 2);
    }
    for (const orrery::result::Column& column : table.columns)
      EXPECT_EQ(columns.contains(std::string(column.name)), !orrery::result::generated(column))
          << table.name << "." << column.name;
    array.release(&array);
    schema.release(&schema);
  }
  orrery_free(answer);
}

}  // namespace
