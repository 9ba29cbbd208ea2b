// SPDX-License-Identifier: Apache-2.0
//
// A program and the command line, asked the same, give the same bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "orrery/core/paths_testing.h"
#include "orrery/result/run_file.h"
#include "orrery/study/study.h"
#include "typed_questions.h"

namespace orrery::study_test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SameAnswers : public testing::Test {
 protected:
  void SetUp() override {
    fs::current_path(core_testing::kSourceFolder);
    folder_ = fs::path(testing::TempDir()) / ("orrery_study_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What `orrery run` prints with --json, without its options; its exit code in `code`.
  std::string typed(const TypedQuestion& one, int& code) const {
    const fs::path out = folder_ / "out.json", run = folder_ / "typed.orrery";
    std::string line = std::string(core_testing::kProgram) + " run " + one.arguments + " --json -q";
    if (one.question.record) line += " --force -o " + run.string();
    line += " > " + out.string() + " 2> " + (folder_ / "err.txt").string();
    code = WEXITSTATUS(std::system(line.c_str()));
    std::string said = read(out);
    if (const std::size_t at = said.find("\n \"question\": "); at != std::string::npos)
      said.erase(at, said.find('\n', at + 1) - at);
    return said;
  }

  /// The run file of an answer.
  [[nodiscard]] std::string run_file(const study::Answer& answer) const {
    const auto run = answer.run();
    if (!run) return to_string(run.error());
    const fs::path path = folder_ / "asked.orrery";
    const auto done = result::write_run(*run, path.string(), true);
    return done ? read(path) : to_string(done.error());
  }

  fs::path folder_;
};

TEST_F(SameAnswers, ToThirtyQuestions) {
  const std::vector<TypedQuestion> all = questions();
  EXPECT_EQ(all.size(), 30u);
  for (const TypedQuestion& one : all) {
    int code = 0;
    const std::string said = typed(one, code);
    ASSERT_EQ(code, 0) << one.arguments << "\n" << read(folder_ / "err.txt");
    const auto answer = study::simulate(one.question);
    ASSERT_TRUE(answer.has_value()) << one.arguments << ": " << to_string(answer.error());
    EXPECT_TRUE(answer->json() == said) << one.arguments;
    EXPECT_EQ(answer->run().has_value(), one.question.record);
    if (one.question.record) {
      EXPECT_TRUE(run_file(*answer) == read(folder_ / "typed.orrery")) << one.arguments;
    }
  }
}

TEST_F(SameAnswers, ManyAtATimeAsOneByOne) {
  std::vector<study::Question> asked;
  for (TypedQuestion& one : questions()) asked.push_back(std::move(one.question));
  for (const std::uint32_t threads : {1u, 4u}) {
    const auto answers = study::simulate_all(asked, threads);
    ASSERT_EQ(answers.size(), asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto alone = study::simulate(asked[i]);
      ASSERT_TRUE(alone && answers[i]) << i;
      EXPECT_TRUE(answers[i]->json() == alone->json()) << i;
    }
  }
}

TEST_F(SameAnswers, ToWhatCannotBeAnswered) {
  std::vector<TypedQuestion> wrong(5);
  wrong[0].arguments = "examples/step/step";
  wrong[0].question.workload = "examples/step/step";
  wrong[1].arguments = "nothing --cluster h100-sxm:2";
  wrong[1].question.workload = "nothing";
  wrong[1].question.cluster = "h100-sxm:2";
  wrong[2].arguments = "--model gpt2 --tp 5 --cluster h100-sxm:8";
  wrong[2].question.job.model = "gpt2";
  wrong[2].question.job.tp = "5";
  wrong[2].question.cluster = "h100-sxm:8";
  wrong[3].arguments = "examples/step/step --cluster h100-sxm:8 --network carrier_pigeon";
  wrong[3].question.workload = "examples/step/step";
  wrong[3].question.cluster = "h100-sxm:8";
  wrong[3].question.network = "carrier_pigeon";
  wrong[4].arguments = "examples/step/step --cluster h100-sxm:2";
  wrong[4].question.workload = "examples/step/step";
  wrong[4].question.cluster = "h100-sxm:2";
  std::vector<study::Question> asked;
  for (const TypedQuestion& one : wrong) {
    int code = 0;
    (void)typed(one, code);
    const auto answer = study::simulate(one.question);
    ASSERT_FALSE(answer.has_value()) << one.arguments;
    EXPECT_EQ(exit_code(answer.error().code), code) << one.arguments;
    const std::string said = read(folder_ / "err.txt");
    EXPECT_NE(said.find(to_string(answer.error())), std::string::npos) << said << "\n"
                                                                       << to_string(answer.error());
    asked.push_back(one.question);
  }
  const auto answers = study::simulate_all(asked, 2);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    ASSERT_FALSE(answers[i].has_value());
    EXPECT_EQ(to_string(answers[i].error()), to_string(study::simulate(asked[i]).error()));
  }
}

}  // namespace
}  // namespace orrery::study_test
