// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "orrery/commands/command_table.h"
#include "orrery/core/system/memory_limit.h"

namespace orrery::commands {

// The tests of this room have the commands of the core.
std::span<const Command> all_commands() { return kCoreCommands; }
std::span<const AddedMode> added_modes() { return {}; }
std::span<const MissingPart> missing_parts() {
  static constexpr MissingPart kMissing[] = {{"calculon", "calculon"}};
  return kMissing;
}

namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kRun =
    R"({"model": "llama-3.1-8b", "tp": 4, "global_batch": 8, "cluster": "h100-sxm:8"})";

TEST(Call, AnswersAsTextAndJson) {
  const CallAnswer answer = call("count", R"({"model": "llama-3.1-8b", "tp": 4})");
  EXPECT_EQ(answer.status, kOk);
  EXPECT_THAT(answer.text, StartsWith("llama-3.1-8b, 4 ranks"));
  const json document = json::parse(answer.json);
  EXPECT_EQ(document["command"], "job count");
  EXPECT_EQ(document["question"], json::parse(R"({"model": "llama-3.1-8b", "tp": "4"})"));
  EXPECT_TRUE(document.contains("result"));
}

TEST(Call, EveryCommandSaysWhatIsWrongWithAQuestion) {
  for (const Command& command : kCoreCommands) {
    const CallAnswer answer = call(command.name, R"({"no_such_key": 1})");
    EXPECT_EQ(answer.status, kUsage) << command.name;
    EXPECT_EQ(json::parse(answer.json)["error"]["name"], "config_unknown_key") << command.name;
    for (const char* wrong : {"[]", "{", "nonsense", R"({"a": 1, "a": 2})"})
      EXPECT_EQ(call(command.name, wrong).status, kUsage) << command.name << wrong;
  }
}

struct WrongQuestion {
  const char *command, *question, *where, *what;
};

TEST(Call, NamesTheKeyThatIsWrong) {
  for (const auto& [command, question, where, what] : std::initializer_list<WrongQuestion>{
           {"count", R"({"modle": "gpt3-175b"})", "question:/modle", "model"},
           {"count", R"({"model": ["a", "b"]})", "question:/model", "one value"},
           {"count", R"({"sp": "maybe"})", "question:/sp", ""},
           {"memory", R"({"capacity": true})", "question:/capacity", "string"},
           {"memory", R"({"capacity": "80"})", "question:/capacity", ""},
           {"memory", R"({"picture": "-"})", "question:/picture", "file"},
           {"memory", R"({"json": true})", "question:/json", ""},
           {"run", R"({"network": "wires"})", "question:/network", ""},
           {"shard", R"({})", "question:/tables", "missing"}}) {
    const CallAnswer answer = call(command, question);
    EXPECT_EQ(answer.status, kUsage) << question;
    const json error = json::parse(answer.json)["error"];
    EXPECT_EQ(error["where"], where) << answer.json;
    EXPECT_THAT(answer.json, HasSubstr(what)) << question;
  }
}

TEST(Call, StartsNoProgram) {
  for (const char* executor : {"mpi", "slurm"}) {
    const CallAnswer answer =
        call("search", json{{"space", "s.yaml"}, {"executor", executor}}.dump());
    EXPECT_EQ(answer.status, kUsage);
    EXPECT_EQ(json::parse(answer.json)["error"]["where"], "--executor") << answer.json;
    EXPECT_THAT(answer.json, HasSubstr("command line"));
  }
}

TEST(Call, KnowsNoOtherCommand) {
  EXPECT_THAT(call("memroy", "").json, HasSubstr("memory"));
  EXPECT_THAT(call("calculon", "").json, HasSubstr("add-on"));
  EXPECT_EQ(call("", "").status, kUsage);
}

TEST(Call, ReportsProgressAndCanBeCancelled) {
  CallOptions options;
  int calls = 0;
  options.progress = [&](const ProgressPhase& phase, std::uint64_t done, std::uint64_t of) {
    EXPECT_FALSE(phase.name.empty());
    EXPECT_TRUE(of == 0 || done <= of);
    ++calls;
  };
  const char* search = R"({"model": "llama-3.1-8b", "gpu": ["h100-sxm"], "gpus": [8]})";
  EXPECT_EQ(call("search", search, options).status, kOk);
  EXPECT_GT(calls, 3);
  // At every point where it can be cancelled, threads or not.
  for (int after = 0; after < calls; after += 1 + calls / 8) {
    int asked = 0;
    CallOptions cancelling;
    cancelling.cancelled = [&] { return asked++ == after; };
    const CallAnswer answer = call("search", search, cancelling);
    EXPECT_TRUE(answer.status == kInterrupted || asked <= after) << after;
    if (answer.status == kInterrupted) {
      EXPECT_THAT(answer.json, HasSubstr("cancelled"));
    }
  }
}

TEST(Call, CallsAtTheSameTimeAreIndependent) {
  const CallAnswer alone = call("run", kRun);
  ASSERT_EQ(alone.status, kOk) << alone.json;
  std::vector<CallAnswer> answers(6);
  std::vector<std::thread> threads;
  for (CallAnswer& answer : answers)
    threads.emplace_back([&answer] { answer = call("run", kRun); });
  for (std::thread& thread : threads) thread.join();
  for (const CallAnswer& answer : answers) {
    EXPECT_EQ(answer.json, alone.json);
    EXPECT_EQ(answer.text, alone.text);
  }
}

TEST(Call, WritesTheFilesThatTheQuestionNames) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(::testing::TempDir()) / "call_test.json";
  fs::remove(file);
  const std::string question =
      json{{"model", "llama-3.1-8b"}, {"tp", 4}, {"output", file.string()}}.dump();
  EXPECT_EQ(call("count", question).status, kOk);
  EXPECT_TRUE(fs::exists(file));
  EXPECT_THAT(call("count", question).json, HasSubstr("output_exists"));
  fs::remove(file);
}

// The graph of a network is built where only an exception can say that memory runs short.
TEST(Call, NetworksThatDoNotFitAreErrors) {
  const MemoryForTests little(1000);
  json question = json::parse(kRun);
  question["network"] = "flow";
  const CallAnswer answer = call("run", question.dump());
  EXPECT_EQ(answer.status, exit_code(Errc::limit_exceeded));
  EXPECT_THAT(answer.json, HasSubstr("but 0.0 GB are available"));
}

TEST(Call, KeepsTheRun) {
  const CallAnswer without = call("run", kRun);
  EXPECT_EQ(without.run, nullptr);
  CallOptions options;
  options.keep_run = true;
  const CallAnswer with = call("run", kRun, options);
  ASSERT_NE(with.run, nullptr);
  EXPECT_EQ(with.run->ranks.size(), 8u);
  EXPECT_EQ(json::parse(with.json)["result"]["step_ns"],
            json::parse(without.json)["result"]["step_ns"]);
}

}  // namespace
}  // namespace orrery::commands
