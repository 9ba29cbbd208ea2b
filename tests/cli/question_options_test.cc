// SPDX-License-Identifier: Apache-2.0
//
// The fields of every command's question (config/question_table.h): options come from them, each is
// set alone, and the answer follows.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "arguments.h"
#include "command_questions.h"
#include "exit_codes.h"
#include "help/completion.h"
#include "orrery/commands/command.h"
#include "orrery/commands/schema/question_schema.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "table_command.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

using app::TableCommand;
using commands::FieldRecord;

/// A program's commands, as it makes them at its start.
class Program {
 public:
  TableCommand& command(std::string_view name) {
    return app::table_command(*table_->get_subcommand(std::string(name)));
  }
  CLI::App& table() { return *table_; }
  app::Session& session() { return session_; }

 private:
  app::Session session_;
  std::unique_ptr<CLI::App> table_ = app::build_table(session_);
};

/// "-o", "--output" …
std::vector<std::string> names_of(std::string_view options) {
  std::vector<std::string> names;
  while (!options.empty()) {
    names.push_back(commands::first_name(options));
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
    {"--help", "CLI11's"}, {"--help-all", "CLI11's"}, {"--stream", "its value may be left out"}};

TEST(QuestionOptions, EachComesFromATable) {
  Program program;
  std::set<std::string> own;
  for (const commands::Command& one : commands::all_commands()) {
    TableCommand& command = program.command(one.name);
    std::set<std::string> known;
    for (const FieldRecord& field : command.fields())
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
  for (const commands::Command& one : commands::all_commands()) {
    Program program;
    const auto& fields = program.command(one.name).fields();
    for (const FieldRecord& field : fields) {
      std::vector<std::vector<std::string>> before;
      for (const FieldRecord& other : fields) before.push_back(other.values());
      const auto flipped = field.set_other_value();
      EXPECT_TRUE(flipped) << one.name << " " << field.name << " " << to_string(flipped.error());
      for (std::size_t i = 0; i < fields.size(); ++i)
        EXPECT_EQ(fields[i].values() != before[i], &fields[i] == &field)
            << one.name << " " << field.name << " changes " << fields[i].name;
    }
  }
}

TEST(QuestionOptions, EachSetsItsField) {
  for (const commands::Command& one : commands::all_commands()) {
    Program program, flipped;
    TableCommand& command = program.command(one.name);
    for (std::size_t i = 0; i < command.fields().size(); ++i) {
      const FieldRecord& field = command.fields()[i];
      if (!is_option(field)) continue;
      const FieldRecord& second = flipped.command(one.name).fields()[i];
      ASSERT_TRUE(second.set_other_value());
      for (const std::string& name : names_of(field.options)) {
        const bool flag = is_flag(command, name);
        std::vector<std::string> words{std::string(field.other), name};  // as CLI11 wants them
        if (flag) words.erase(words.begin());
        if (name == "--route") words.insert(words.begin(), 2, words.front());  // two, and a file
        try {
          command.parse(words);
        } catch (const CLI::ParseError&) {  // arguments are missing
        }
        const auto error = command.finish();
        EXPECT_FALSE(error) << one.name << " " << name << to_string(*error);
        EXPECT_EQ(field.values().front(), second.values().front()) << one.name << " " << name;
      }
    }
  }
}

/// Whether `value` is what the schema of one option has.
bool fits(const nlohmann::json& value, const nlohmann::json& schema) {
  if (schema["type"] == "array")
    return value.is_array() && std::all_of(value.begin(), value.end(), [&](const auto& one) {
             return fits(one, schema["items"]);
           });
  const auto words = schema.find("enum");
  if (words != schema.end() && std::find(words->begin(), words->end(), value) == words->end())
    return false;
  const std::string type = schema["type"];
  return type == "string"    ? value.is_string()
         : type == "boolean" ? value.is_boolean()
         : type == "integer" ? value.is_number_integer()
                             : value.is_number();
}

TEST(QuestionOptions, EachStandsInTheQuestionThatJsonRepeats) {
  for (const commands::Command& one : commands::all_commands()) {
    Program plain;
    EXPECT_EQ(commands::question_json(plain.command(one.name).bound().options), "{}") << one.name;
    const auto schema = nlohmann::json::parse(commands::question_schema(plain.session(), one.name));
    for (std::size_t i = 0; i < plain.command(one.name).fields().size(); ++i) {
      Program program;
      TableCommand& command = program.command(one.name);
      const FieldRecord& field = command.fields()[i];
      ASSERT_TRUE(field.set_other_value());
      const std::string text = commands::question_json(command.bound().options);
      const auto question = nlohmann::json::parse(text);
      if (!commands::has_effect(field)) {
        EXPECT_EQ(text, "{}") << one.name << " " << field.name;
        continue;
      }
      const std::string name = commands::json_name(field.options);
      ASSERT_EQ(question.size(), 1u) << one.name << " " << text;
      ASSERT_TRUE(question.contains(name)) << one.name << " " << text;
      ASSERT_TRUE(schema["properties"].contains(name)) << one.name << " " << name;
      EXPECT_TRUE(fits(question[name], schema["properties"][name]))
          << one.name << " " << text << schema["properties"][name];
    }
  }
}

TEST(QuestionOptions, WordsThatOneMayBeAreCheckedAndCompleted) {
  Program program;
  const std::string zsh = app::completion_script(program.table(), "zsh");
  std::size_t count = 0;
  for (const commands::Command& one : commands::all_commands()) {
    TableCommand& command = program.command(one.name);
    for (const FieldRecord& field : command.fields()) {
      if (field.choices.empty() || !is_option(field)) continue;
      ++count;
      const std::string name = names_of(field.options).front();
      try {
        command.parse(std::vector<std::string>{"no-such-word", name});
      } catch (const CLI::ParseError&) {
      }
      const auto error = command.finish();
      ASSERT_TRUE(error) << one.name << " " << name;
      EXPECT_EQ(error->where, name);
      std::string words;
      for (const std::string_view choice : field.choices)
        words += (words.empty() ? "" : " ") + std::string(choice);
      EXPECT_NE(zsh.find(":value:(" + words + ")'"), std::string::npos) << one.name << " " << name;
    }
  }
  EXPECT_GT(count, 80u);
}

class Answers : public testing::TestWithParam<CommandQuestion> {};

TEST_P(Answers, FollowFromEachField) {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(name.begin(), name.end(), '/', '_');
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("orrery_" + name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* linked : {"examples", "data"})
    std::filesystem::create_symlink(std::filesystem::path(core_testing::kSourceFolder) / linked,
                                    folder / linked);
  if (!GetParam().before.empty()) {
    const Outcome made = run(std::string(GetParam().before), folder, core_testing::kProgram);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const std::string asked =
      "orrery " + std::string(GetParam().command) + " " + std::string(GetParam().arguments);
  // What it prints, and the files in `out`.
  const auto answer = [&](const std::string& more) {
    std::filesystem::remove_all(folder / "out");
    std::filesystem::create_directory(folder / "out");
    Outcome outcome = run(asked + " -q --json" + more, folder, core_testing::kProgram);
    outcome.out += run("cksum out/*", folder, core_testing::kProgram).out;
    // What is asked differs; does what is answered?
    std::string out = outcome.out;
    if (const std::size_t at = out.find("\n \"question\": "); at != std::string::npos)
      out.erase(at, out.find('\n', at + 1) - at);
    return std::to_string(outcome.exit_code) + out;
  };
  const std::string plain = answer("");
  EXPECT_EQ(plain.front(), '0') << plain;
  Program program;
  TableCommand& command = program.command(GetParam().command);
  for (const FieldRecord& field : command.fields()) {
    if (!is_option(field) || (field.stages & ~unsigned{config::kUnlisted}) == config::kNothing)
      continue;
    const std::string option = names_of(field.options).front();
    const bool flag = is_flag(command, option);
    const std::string more = " " + option + (flag ? "" : " '" + std::string(field.other) + "'");
    EXPECT_EQ(answer(more) != plain, !GetParam().same.contains(field.name))
        << asked << more << ", " << field.name;
  }
  std::filesystem::remove_all(folder);
}

/// Whether an option or an argument names an input.
bool names_input(const FieldRecord& field) {
  if (field.group == "Output" || field.options.find("--write") != std::string_view::npos)
    return false;
  for (const char* const word : {"FILE", "FOLDER", "TRACE", "TABLE", "PREFIX", "JOBS", "SPACE"})
    if (field.type.find(word) != std::string::npos) return true;
  return !is_option(field);
}

/// What is no file gets one error that says so, soon and in little memory. Quick: folders as
/// arguments; full: also from every option, and for files that are empty or without an end.
void expect_no_files(const CommandQuestion& asked) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      ("orrery_no_file_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) + "_" +
       std::to_string(std::hash<std::string_view>()(asked.arguments)));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder");
  for (const char* linked : {"examples", "data"})
    std::filesystem::create_symlink(std::filesystem::path(core_testing::kSourceFolder) / linked,
                                    folder / linked);
  std::filesystem::create_symlink("/dev/null", folder / "nothing");
  std::filesystem::create_symlink("/dev/zero", folder / "endless");
  if (!asked.before.empty()) run(std::string(asked.before), folder, core_testing::kProgram);
  const std::string command = "orrery " + std::string(asked.command) + " ";
  std::vector<std::string> tried;
  Program program;
  for (const FieldRecord& field : program.command(asked.command).fields()) {
    if (!names_input(field)) continue;
    for (const char* const kind : {"folder", "nothing", "endless"}) {
      if (!core_testing::full_effort() && (is_option(field) || kind != std::string_view("folder")))
        continue;
      tried.push_back(is_option(field) ? command + std::string(asked.arguments) + " " +
                                             names_of(field.options).front() + " " + kind
                                       : command + kind);
    }
  }
  for (const std::string& words : tried) {
    const Outcome outcome =
        run("ulimit -v 6000000; timeout 60 " + words + " -q", folder, core_testing::kProgram);
    const std::set<int> known = {app::kOk, 1, 2, 3, 4, 5};
    EXPECT_TRUE(known.contains(outcome.exit_code)) << words << ": " << outcome.exit_code;
    for (const char* const untrue : {"no such file", "cannot open"})
      EXPECT_EQ(outcome.err.find(untrue), std::string::npos) << words << ": " << outcome.err;
  }
  std::filesystem::remove_all(folder);
}

TEST_P(Answers, NameWhatIsNoFile) { expect_no_files(GetParam()); }

TEST(QuestionOptions, OtherCommandsNameWhatIsNoFile) {
  expect_no_files({"run", ORRERY_JOB "--cluster h100-sxm:8"});
  expect_no_files({"trace validate", "examples/step/step"});
  for (const char* const command : {"report", "explain", "critical-path", "doctor", "trace diff"})
    expect_no_files({command, ""});
}

#define ORRERY_RECORDED \
  "data/demo/ddp_transformer/rank0.kineto.json.gz data/demo/ddp_transformer/rank1.kineto.json.gz "
#define ORRERY_TRACES "orrery job generate " ORRERY_JOB "--dp 2 -o w -q"
const CommandQuestion kQuestions[] = {
    {"whatif",
     ORRERY_JOB "--cluster h100-sxm:8 --list --top 3",     // of a job, which is listed already
     {"question.list", "question.base.network_latency"}},  // NCCL's times have their own latencies
    {"trace predict",
     ORRERY_RECORDED,  // traces that are linked, and whose streams depend by launches
     {"question.recorded.no_link", "question.recorded.tensors"}},
    {"job together", "examples/jobs/by-turns.yaml"},
    {"trace scale-down",
     ORRERY_JOB "--cluster h100-sxm:8 --keep-ranks 4",  // of a job without a pipeline
     {"question.base.groups", "question.base.recorded.rank", "question.base.recorded.no_link",
      "question.base.recorded.tensors", "question.base.job.schedule"}},
    {"trace stragglers",
     ORRERY_RECORDED,  // of two steps, without a cluster
     {"question.steps", "question.base.recorded.no_link", "question.base.recorded.tensors"}},
    {"network check",
     ORRERY_JOB "--cluster h100-sxm:8",  // of a job without a pipeline, on a fast machine
     {"question.base.job.schedule", "question.limit"}},
    {"network compare",
     ORRERY_JOB "h100-sxm:16 inter=0.5",  // of a job without a pipeline
     {"question.base.job.schedule"}},
    {"dlrm shard", "examples/tables.csv --devices 8", {"question.memory"}},  // there is room
    {"collective check", "examples/plans/ring-8.xml --cluster h100-sxm:16"},
    {"search",
     ORRERY_JOB "--cluster h100-sxm:8 --top 3 --simulated 2",
     {"question.job.sp"}},  // all plans have it
    {"collective compare", "all-reduce --cluster h100-sxm:16 --size 1GB"},
    {"collective synthesize",
     "broadcast --fabric h100-sxm:8",
     {"question.search"}},                             // it is no torus
    {"network show", "h100-sxm:16", {"question.tp"}},  // 8 GPUs are a host
    {"kernels", "gemm 1024 1024 2048 transposed_b"},
    {"trace replay",
     ORRERY_RECORDED,  // of hosts without devices
     {"scales", "recorded.no_link", "recorded.tensors"}},
    {"memory", ORRERY_JOB "--cluster h100-sxm:8", {"set", "precision"}},  // products only
    {"goodput", ORRERY_JOB "--cluster h100-sxm:8", {"job.schedule"}},
    {"infer",
     "--model llama-3.1-8b --gpu a100-80gb --rate 18 --num-prompts 100 --instances 2 "
     "--max-num-batched-tokens 1536",  // distinct and short prompts
     {"question.service.engine.max_model_len", "question.service.engine.no_prefix_caching"}},
    {"job count", ORRERY_JOB "--cluster h100-sxm:8", {"schedule"}},
    {"job generate", ORRERY_JOB "--dp 2 --format yaml"},
    {"trace info",
     ORRERY_RECORDED,  // no Chakra traces
     {"groups", "repair", "recorded.no_link", "recorded.tensors"}},
    {"dlrm lookup", "time --tables 4 --bags 128 --pooling 4 --rows 1000 --features 64"},
    {"compare",
     "a.orrery b.orrery",
     {},
     "orrery run " ORRERY_JOB "--cluster h100-sxm:8 -o a.orrery -q && orrery run " ORRERY_JOB
     "--cluster a100-40gb:8 -o b.orrery -q"},
    {"accuracy",
     "runs.csv",
     {},
     "printf 'id,model,tp,global_batch,micro_batch,gpu,n,dom,nvl,ib,measured_s\\n"
     "us-1,llama-3.1-8b,2,64,1,H100,8,8,450,50,6.4\\n' > runs.csv"},
    {"mfu",
     ORRERY_JOB "--cluster h100-sxm:8 --measured 7s",  // of a job without a pipeline
     {"base.job.schedule"}},
    {"trace convert",
     "data/demo/ddp_transformer/rank0.et.json.gz data/demo/ddp_transformer/rank0.kineto.json.gz "
     "-o out/w"},
    {"trace slice",
     "data/demo/ddp_transformer/rank0.kineto.json.gz --iteration 8 -o out/part.json",
     {"ranks"}},  // of one rank
    {"trace anonymize", "w -o out/o", {}, ORRERY_TRACES},
    {"trace learn", "--random-jobs 20 -o out/a.learned"},
    {"trace synthesize",
     "--spec job.yaml --learned a.learned -o out/w",
     {},
     "printf 'model: {is: llama-3.1-8b, layers: 2}\\nparallel: {dp: 2}\\n"
     "batch: {seq: 1024, global: 4}\\n' > job.yaml && "
     "orrery trace learn job.yaml -o a.learned -q > /dev/null && "
     "orrery trace learn job.yaml --random-jobs 20 -o dense.learned -q > /dev/null"},
    {"trace merge",
     "data/demo/ddp_transformer/rank0.et.json.gz data/demo/ddp_transformer/rank0.kineto.json.gz"},
    {"calibrate",
     "network examples/calibrate/all_reduce.log",  // which states these
     {"collective", "ranks", "nodes"}},
    {"calibrate", "compute examples/calibrate/step.json", {}},
    {"calibrate", "overheads examples/calibrate/step.json", {}},
    {"calibrate", "variability " ORRERY_RECORDED, {"steps"}},
    {"kernels", "plot own.csv --compute heuristic -o out/own.svg", {}, ORRERY_KERNELS},
    {"dlrm lookup", "synthesize --bags 256 --pooling 4 --rows 5000 -o out/a.txt", {}},
};

/// Of the core, and of the add-ons.
std::vector<CommandQuestion> all_questions() {
  std::vector<CommandQuestion> all(std::begin(kQuestions), std::end(kQuestions));
  all.insert(all.end(), addon_questions().begin(), addon_questions().end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, Answers, testing::ValuesIn(all_questions()), [](const auto& one) {
  std::string name(one.param.command);
  const std::string_view arguments = one.param.arguments;
  name += "_" + std::string(arguments.substr(0, arguments.find_first_of(" /.:")));
  for (char& c : name)
    if (c == '-' || c == ' ') c = '_';
  return name;
});

/// Commands whose fields are tried elsewhere, or have no figures of their own.
const std::map<std::string_view, std::string_view> kElsewhere = {
    {"run", "src/orrery/study/questions/outcome/run_options_test.cc"},
    {"trace validate", "those of run"},
    {"demo", "where its data is"}};

TEST(QuestionOptions, AnswersAreTriedOfEachCommand) {
  Program program;
  const std::vector<CommandQuestion> questions = all_questions();
  for (const commands::Command& one : commands::all_commands()) {
    const auto& fields = program.command(one.name).fields();
    const bool any = std::any_of(fields.begin(), fields.end(), [](const FieldRecord& field) {
      return is_option(field) && commands::has_effect(field);
    });
    const bool asked =
        kElsewhere.contains(one.name) || addons_tested_elsewhere().contains(one.name) ||
        std::any_of(questions.begin(), questions.end(),
                    [&](const CommandQuestion& tried) { return tried.command == one.name; });
    EXPECT_EQ(any, asked) << one.name;
  }
}

}  // namespace
}  // namespace orrery::cli_test
