// SPDX-License-Identifier: Apache-2.0
//
// Runs every transcript beside this file, and every example of the documentation, with the built
// program. With ORRERY_UPDATE_DOCS=1 in the environment, the documentation's examples are
// rewritten instead of compared.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"
#include "transcript.h"

namespace orrery::cli_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = core_testing::kSourceFolder;
const fs::path kProgram = core_testing::kProgram;

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

/// JSON results of all tests that this process runs.
fs::path all_json() {
  return fs::path(testing::TempDir()) / ("orrery_cli_" + std::to_string(::getpid()) + "_json");
}

// Validates them in the end, at once: starting Python takes longer than validating.
class JsonResults : public testing::Environment {
 public:
  void SetUp() override { fs::create_directories(all_json()); }
  void TearDown() override {
    if (!fs::is_empty(all_json())) {
      const std::string command = "python3 -B '" + (kRoot / "tests/cli/check_json.py").string() +
                                  "' '" + kProgram.string() + "' '" + all_json().string() + "'";
      EXPECT_EQ(std::system(command.c_str()), 0) << "JSON unlike its schema (above)";
    }
    fs::remove_all(all_json());
  }
};
[[maybe_unused]] const testing::Environment* const kJsonResults =
    testing::AddGlobalTestEnvironment(new JsonResults);

// A folder of its own for each test, gone afterwards.
class Workspace : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("orrery_cli_" + std::to_string(::getpid()) + "_" + test_name({GetParam(), 0}));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // What stands at the root of the project can be read from here; what a command writes stays
    // here.
    for (const auto& entry : fs::directory_iterator(kRoot)) {
      const std::string name = entry.path().filename().string();
      const bool ours = entry.is_directory() && name[0] != '.' && !name.starts_with("build");
      if (ours) fs::create_symlink(entry.path(), folder_ / name);
    }
  }
  void TearDown() override {
    keep_json();
    fs::remove_all(folder_);
    fs::remove_all(folder_.string() + ".talk");
  }

  /// Moves the JSON results to those of other tests.
  void keep_json() const {
    const fs::path from = json_folder(folder_);
    if (!fs::exists(from)) return;
    for (const auto& entry : fs::directory_iterator(from))
      fs::copy_file(entry.path(), all_json() / (test_name({GetParam(), 0}) + "-" +
                                                entry.path().filename().string()));
  }

  void check(const Step& step, const std::vector<std::string>& out,
             const std::vector<std::string>& err, bool joined) {
    if (step.full && !core_testing::full_effort()) return;
    const Outcome outcome = run(step.command, folder_, kProgram);
    const std::string stdout_seen = joined ? outcome.out + outcome.err : outcome.out;
    const bool fine = outcome.exit_code == step.exit_code && matches(out, stdout_seen) &&
                      matches(err, outcome.err);
    EXPECT_TRUE(fine) << GetParam() << ":" << step.line << ": expected exit code " << step.exit_code
                      << " and the lines there; came back:\n"
                      << as_transcript(step, outcome);
  }

  fs::path folder_;
};

class Transcripts : public Workspace {};
class Pages : public Workspace {};

TEST_P(Transcripts, Hold) {
  const fs::path fixtures = kRoot / "tests/cli/fixtures";
  if (fs::exists(fixtures)) fs::copy(fixtures, folder_, fs::copy_options::recursive);
  std::vector<std::string> bad;
  const std::vector<Step> steps = parse_transcript(read(kRoot / GetParam()), bad);
  for (const std::string& line : bad)
    ADD_FAILURE() << GetParam() << ":" << line << "\n  begins with none of $ > ! ? #";
  EXPECT_FALSE(steps.empty());
  for (const Step& step : steps) check(step, step.out, step.err, false);
}

TEST_P(Pages, Hold) {
  const std::string page = read(kRoot / GetParam());
  const std::vector<Step> steps = parse_page(page);
  if (std::getenv("ORRERY_UPDATE_DOCS") == nullptr) {
    for (const Step& step : steps) check(step, step.out, {}, step.exit_code != 0);
    return;
  }
  std::vector<std::string> outputs;
  for (const Step& step : steps) {
    const Outcome outcome = run(step.command, folder_, kProgram);
    EXPECT_EQ(outcome.exit_code, step.exit_code) << GetParam() << ":" << step.line;
    outputs.push_back(step.exit_code == 0 ? outcome.out : outcome.out + outcome.err);
    EXPECT_FALSE(outputs.back().empty() && !step.out.empty())
        << GetParam() << ":" << step.line << ": the example prints nothing any more";
  }
  if (HasFailure()) return;
  std::ofstream(kRoot / GetParam(), std::ios::binary) << with_outputs(page, steps, outputs);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Pages);
INSTANTIATE_TEST_SUITE_P(Cli, Transcripts, testing::ValuesIn(transcripts()), test_name);
INSTANTIATE_TEST_SUITE_P(Docs, Pages, testing::ValuesIn(pages()), test_name);

}  // namespace
}  // namespace orrery::cli_test
