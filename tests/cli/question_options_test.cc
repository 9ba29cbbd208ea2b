// SPDX-License-Identifier: Apache-2.0
//
// The fields of every command's question (config/question_table.h): options come from them, each is
// set alone, and the answer follows.
#include "question_options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "arguments.h"
#include "commands.h"
#include "completion.h"
#include "orrery/core/paths_testing.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

using app::FieldRecord;
using app::TableCommand;

/// A program's commands, as it makes them at its start.
class Program {
 public:
  TableCommand& command(std::string_view name) {
    return app::table_command(*table_->get_subcommand(std::string(name)));
  }
  CLI::App& table() { return *table_; }

 private:
  app::Session session_;
  std::unique_ptr<CLI::App> table_ = app::build_table(session_);
};

/// "-o", "--output" …
std::vector<std::string> names_of(std::string_view options) {
  std::vector<std::string> names;
  while (!options.empty()) {
    names.push_back(app::first_name(options));
    options.remove_prefix(std::min(names.back().size() + 1, options.size()));
  }
  return names;
}

bool is_flag(const TableCommand& command, const std::string& name) {
  const CLI::Option* option = command.get_option(name);
  return option->get_expected_max() == 0 || option->get_type_size() == 0;
}

bool is_option(const FieldRecord& field) { return field.options.starts_with("-"); }

/// Options that no table has, and why.
const std::map<std::string, std::string> kOwn = {
    {"--help", "CLI11's"},
    {"--rendezvous-protocol", "its value may be left out, as by ASTRA-sim"},
    {"--stream", "its value may be left out"},
    {"--logging-configuration", "ASTRA-sim's, without effect"},
    {"--logging-folder", "ASTRA-sim's, without effect"}};

TEST(QuestionOptions, EachComesFromATable) {
  Program program;
  std::set<std::string> own;
  for (const app::Command& one : app::commands()) {
    TableCommand& command = program.command(one.name);
    std::set<std::string> known;
    for (const FieldRecord& field : command.fields)
      for (const std::string& name : names_of(field.options)) known.insert(name);
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) {
        if (known.contains("--" + name)) continue;
        EXPECT_TRUE(kOwn.contains("--" + name)) << one.name << " --" << name;
        own.insert("--" + name);
      }
  }
  EXPECT_EQ(own.size(), kOwn.size()) << "an option that is no longer of its own";
}

TEST(QuestionOptions, EachFieldHasASecondValueThatChangesItAlone) {
  for (const app::Command& one : app::commands()) {
    Program program;
    auto& fields = program.command(one.name).fields;
    for (FieldRecord& field : fields) {
      std::vector<std::string> before;
      for (const FieldRecord& other : fields) before.push_back(other.text());
      const auto flipped = field.flip();
      EXPECT_TRUE(flipped) << one.name << " " << field.name << " " << to_string(flipped.error());
      for (std::size_t i = 0; i < fields.size(); ++i)
        EXPECT_EQ(fields[i].text() != before[i], &fields[i] == &field)
            << one.name << " " << field.name << " changes " << fields[i].name;
    }
  }
}

TEST(QuestionOptions, EachSetsItsField) {
  for (const app::Command& one : app::commands()) {
    Program program, flipped;
    TableCommand& command = program.command(one.name);
    for (std::size_t i = 0; i < command.fields.size(); ++i) {
      const FieldRecord& field = command.fields[i];
      if (!is_option(field)) continue;
      const FieldRecord& second = flipped.command(one.name).fields[i];
      ASSERT_TRUE(second.flip());
      for (const std::string& name : names_of(field.options)) {
        const bool flag = is_flag(command, name);
        std::vector<std::string> words{std::string(field.other), name};  // as CLI11 wants them
        if (flag) words.erase(words.begin());
        if (name == "--route") words.insert(words.begin(), 2, words.front());  // two, and a file
        command.error.reset();
        try {
          command.parse(words);
        } catch (const CLI::ParseError&) {  // arguments are missing
        }
        EXPECT_FALSE(command.error) << one.name << " " << name << to_string(*command.error);
        EXPECT_TRUE(field.text().starts_with(second.text()))
            << one.name << " " << name << ": " << field.text() << " " << second.text();
      }
    }
  }
}

TEST(QuestionOptions, WordsThatOneMayBeAreCheckedAndCompleted) {
  Program program;
  const std::string zsh = app::completion_script(program.table(), "zsh");
  std::size_t count = 0;
  for (const app::Command& one : app::commands()) {
    TableCommand& command = program.command(one.name);
    for (const FieldRecord& field : command.fields) {
      if (field.choices.empty() || !is_option(field)) continue;
      ++count;
      const std::string name = names_of(field.options).front();
      try {
        command.parse(std::vector<std::string>{"no-such-word", name});
      } catch (const CLI::ParseError&) {
      }
      ASSERT_TRUE(command.error) << one.name << " " << name;
      EXPECT_EQ(command.error->where, name);
      command.error.reset();
      std::string words;
      for (const std::string_view choice : field.choices)
        words += (words.empty() ? "" : " ") + std::string(choice);
      EXPECT_NE(zsh.find(":word:(" + words + ")'"), std::string::npos) << one.name << " " << name;
    }
  }
  EXPECT_GT(count, 100u);
}

/// A short question to a command, and fields that do not matter to it.
struct Asked {
  std::string_view command, arguments;
  std::set<std::string_view> same{};
};

void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.command; }

class Answers : public testing::TestWithParam<Asked> {};

TEST_P(Answers, FollowFromEachField) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       ("orrery_answers_" + std::string(GetParam().command));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"examples", "data"})
    std::filesystem::create_symlink(std::filesystem::path(core_testing::kSourceFolder) / name,
                                    folder / name);
  const std::string asked =
      "orrery " + std::string(GetParam().command) + " " + std::string(GetParam().arguments);
  const auto answer = [&](const std::string& more) {
    const Outcome outcome = run(asked + " -q --json" + more, folder, core_testing::kProgram);
    return std::to_string(outcome.exit_code) + outcome.out;
  };
  const std::string plain = answer("");
  EXPECT_EQ(plain.front(), '0') << plain;
  Program program;
  TableCommand& command = program.command(GetParam().command);
  for (const FieldRecord& field : command.fields) {
    if (!is_option(field) || (field.stages & ~unsigned{config::kUnlisted}) == config::kNothing)
      continue;
    const std::string name = names_of(field.options).front();
    const bool flag = is_flag(command, name);
    const std::string more = " " + name + (flag ? "" : " '" + std::string(field.other) + "'");
    EXPECT_EQ(answer(more) != plain, !GetParam().same.contains(field.name))
        << asked << more << ", " << field.name;
  }
  std::filesystem::remove_all(folder);
}

#define ORRERY_JOB "--model gpt2 --set model.layers=4 --seq 128 --global-batch 16 --tp 4 "
#define ORRERY_RECORDED \
  "data/demo/ddp_transformer/rank0.kineto.json.gz data/demo/ddp_transformer/rank1.kineto.json.gz "
const Asked kAsked[] = {
    {"whatif",
     ORRERY_JOB "--cluster h100-sxm:8 --list --most 3",  // of a job, which is listed already
     {"question.list", "question.base.groups", "question.base.recorded.rank",
      "question.base.recorded.no_link", "question.base.recorded.tensors", "layers",
      "microbatches"}},
    {"predict",
     ORRERY_RECORDED,  // traces that are linked, and whose streams depend by launches
     {"question.recorded.no_link", "question.recorded.tensors"}},
    {"together", "examples/jobs/by-turns.yaml"},
    {"scale-down",
     ORRERY_JOB "--cluster h100-sxm:8 --ranks 4",  // of a job without a pipeline
     {"question.base.groups", "question.base.recorded.rank", "question.base.recorded.no_link",
      "question.base.recorded.tensors", "question.base.job.schedule"}},
    {"stragglers",
     ORRERY_RECORDED,  // of two steps
     {"question.steps", "question.base.recorded.no_link", "question.base.recorded.tensors"}},
    {"shard", "examples/tables.csv --devices 8", {"question.memory"}},  // there is room
    {"plan", "examples/plans/ring-8.xml --cluster h100-sxm:16"},
    {"search", ORRERY_JOB "--cluster h100-sxm:8 --best 3 --simulated 2"},
    {"split-bandwidth", ORRERY_JOB "--cluster examples/clusters/dgx-h100-64.yaml", {"schedule"}},
    {"collective", "all-reduce --cluster h100-sxm:16 --size 1GB"},
    {"synthesise", "broadcast --fabric h100-sxm:8", {"question.search"}},  // it is no torus
    {"topology", "h100-sxm:16", {"question.tp"}},                          // 8 GPUs are a host
    {"kernels", "gemm 1024 1024 2048 transposed_b"},
    {"replay",
     ORRERY_RECORDED,  // of hosts without devices
     {"scales", "recorded.no_link", "recorded.tensors"}},
    {"memory", ORRERY_JOB "--cluster h100-sxm:8", {"set"}},
    {"count", ORRERY_JOB "--cluster h100-sxm:8", {"schedule"}},
    {"generate", ORRERY_JOB "--dp 2 --format yaml"},
    {"inspect",
     ORRERY_RECORDED,  // no Chakra traces
     {"groups", "repair", "recorded.no_link", "recorded.tensors"}},
    {"embeddings", "time --tables 4 --batch 128 --pooling 4 --rows 1000 --features 64"},
};

INSTANTIATE_TEST_SUITE_P(Each, Answers, testing::ValuesIn(kAsked), [](const auto& one) {
  std::string name(one.param.command);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace orrery::cli_test
