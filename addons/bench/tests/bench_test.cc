// SPDX-License-Identifier: Apache-2.0
//
// orrery bench run, from recordings to what it says.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "addons/bench/tests/bench_program_testing.h"
#include "orrery/core/effort_testing.h"
#include "orrery/core/paths_testing.h"

namespace orrery {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Recordings : public Bench, public ::testing::WithParamInterface<const char*> {
 protected:
  /// Of operators; with quick effort one of them for each recording.
  [[nodiscard]] static std::vector<std::string> levels() {
    if (core_testing::full_effort()) return {"top", "kernel"};
    return {GetParam()[0] % 2 == 0 ? "kernel" : "top"};
  }
};

/// Compiles a generated program in FOLDER/build. With quick effort as one unit without
/// optimization, so that PyTorch's headers are read once. Returns the shell's status.
int build_program(const std::string& folder) {
  const std::string quick =
      core_testing::full_effort()
          ? ""
          : " -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCMAKE_BUILD_TYPE=Debug";
  return std::system(fmt::format("(cmake -G Ninja -S {0} -B {0}/build{1} && cmake --build "
                                 "{0}/build) > {0}/log 2>&1",
                                 folder, quick)
                         .c_str());
}

// Everything is called by its recorded name, nothing fails, and memory is what the plan says.
TEST_P(Recordings, AreReplayedWhole) {
  for (const char* level : {"top", "kernel"}) {
    const Json result =
        replay(kRecordings + GetParam() + ".json.gz --iterations 3 --level " + level);
    ASSERT_TRUE(result.contains("replay"));
    EXPECT_GT(result["coverage"]["all_operators"]["count"], 50);
    EXPECT_EQ(result["coverage"]["exact_operators"]["count"],
              result["coverage"]["all_operators"]["count"]);
    EXPECT_EQ(result["replay"]["failed_operators"], 0) << result["replay"]["failed_by_name"];
    EXPECT_EQ(result["replay"]["wall_ns"].size(), 3u);
    const double planned = result["planned_memory"]["peak_bytes"],
                 held = result["replay"]["peak_bytes"];
    EXPECT_NEAR(held / planned, 1, 0.02);
    EXPECT_GE(result["replay"]["wall_time"]["max_ns"].get<double>(),
              result["replay"]["operators_ns"].get<double>())
        << "the mean of iterations, each a part of its wall time";
  }
}
// Each distinct operator by itself: nothing fails, and weights are how often it is in the step.
TEST_P(Recordings, AreTakenApart) {
  for (const std::string& level : levels()) {
    const std::string trace = kRecordings + GetParam() + ".json.gz --iterations 2 --level " + level;
    const Json whole = replay(trace + " --only-plan");
    const Json apart = replay(trace + " --micro");
    EXPECT_EQ(apart["failed"], 0) << apart["micro"];
    EXPECT_EQ(apart["operators"], whole["coverage"]["all_operators"]["count"]);
    std::uint64_t weights = 0;
    std::int64_t sum = 0;
    for (const Json& micro : apart["micro"]) {
      weights += micro["calls"].get<std::uint64_t>();
      sum += micro["calls"].get<std::int64_t>() * micro["median_ns"].get<std::int64_t>();
    }
    EXPECT_EQ(weights, apart["operators"].get<std::uint64_t>());
    EXPECT_EQ(sum, apart["total_ns"].get<std::int64_t>());
    EXPECT_LT(apart["distinct_operators"].get<std::uint64_t>(), weights);
  }
}

INSTANTIATE_TEST_SUITE_P(Own, Recordings,
                         ::testing::Values("cnn", "mlp", "accumulated", "transformer", "dlrm"));

// What is written is read back by our own readers.
TEST_F(Bench, ItsTraceIsATrace) {
  const std::string trace = (folder_ / "replayed.json").string();
  (void)replay(kRecordings + "mlp.json.gz --iterations 2 --kineto " + trace);
  const Said seen = ask("trace info " + trace + " --quiet");
  EXPECT_EQ(seen.code, 0) << seen.text;
  EXPECT_THAT(seen.text, HasSubstr("annotation 2"));
  const Said linked =
      ask("trace merge " + kRecordings + "mlp.json.gz " + trace + " --json --quiet");
  EXPECT_EQ(linked.code, 0) << linked.text;
  EXPECT_THAT(linked.text, HasSubstr("\"by_record_function\": 108"));
}

TEST_F(Bench, PlansAreTheSameEveryTime) {
  const std::string one = (folder_ / "1").string(), two = (folder_ / "2").string();
  for (const std::string& path : {one, two})
    (void)replay(kRecordings + "transformer.json.gz --only-plan --write-plan " + path);
  std::ifstream first(one), second(two);
  const std::string left{std::istreambuf_iterator<char>(first), {}};
  const std::string right{std::istreambuf_iterator<char>(second), {}};
  EXPECT_GT(left.size(), 1000u);
  EXPECT_EQ(left, right);
}

/// One relu with these sizes, and ids that name each other.
std::string hostile(const std::string& sizes, const std::string& out_sizes) {
  const std::string head =
      R"j({"schema": "1.1.1-chakra.0.0.4", "pid": 1, "time": "t", "start_ts": 1, "nodes": [
  {"id": 2, "name": "[pytorch|profiler|execution_trace|thread]", "ctrl_deps": 1,
    "inputs": {"values": [], "shapes": [], "types": [], "strides": []},
    "outputs": {"values": [], "shapes": [], "types": [], "strides": []}, "attrs": []},
  {"id": 5, "name": "aten::relu", "ctrl_deps": 2,
    "inputs": {"values": [[7, 7, 0, 4, 4, "cpu"]], "types": ["Tensor(float)"], "strides": [[]], "shapes": [)j";
  const std::string middle =
      R"j(]}, "outputs": {"values": [[7, 7, 0, 4, 4, "cpu"]], "types": ["Tensor(float)"], "strides": [[-1]],
    "shapes": [)j";
  const std::string tail =
      R"j(]}, "attrs": [{"name": "op_schema", "type": "string",
      "value": "aten::relu(Tensor self) -> Tensor"}]}]})j";
  return head + sizes + middle + out_sizes + tail;
}

TEST_F(Bench, HostileShapesAreRefusedBeforeAnythingIsAllocated) {
  const Said huge = ask("bench run " + file("huge.json", hostile("[1152921504606846976]", "[]")));
  EXPECT_EQ(huge.code, 5) << huge.text;
  EXPECT_THAT(huge.text, HasSubstr("E4000"));
  const Said larger =
      ask("bench run " + file("larger.json", hostile("[4, 9223372036854775807]", "[]")));
  EXPECT_EQ(larger.code, 3) << larger.text;
  EXPECT_THAT(larger.text, HasSubstr("node 5"));
  const Said negative = ask("bench run " + file("negative.json", hostile("[4]", "[4]")));
  EXPECT_EQ(negative.code, 3) << "a stride of -1: " << negative.text;
  const Said limited = ask("bench run " + kRecordings + "mlp.json.gz --memory-limit 1MB");
  EXPECT_EQ(limited.code, 5) << limited.text;
}

// An operator that does not work is replaced by what it made, once and for all.
TEST_F(Bench, FailuresAreCountedAndNeverFatal) {
  std::string text = hostile("[2, 3]", "[5, 3]");
  text.replace(text.find("[[-1]]"), 6, "[[]]");
  for (std::size_t at = 0; (at = text.find("aten::relu(Tensor self)", at)) != std::string::npos;)
    text.replace(at, 23, "aten::cholesky(Tensor self, bool upper=False)");
  text.replace(text.find("aten::relu"), 10, "aten::cholesky");
  const Json result = replay(file("fails.json", text) + " --iterations 2");
  EXPECT_EQ(result["replay"]["failed_operators"], 1);
  EXPECT_EQ(result["replay"]["failed_by_name"][0]["name"], "aten::cholesky");
}

/// The sizes of what exists before, in order: "[20,24]".
std::vector<std::string> sizes_in(const std::string& plan) {
  std::ifstream text(plan);
  std::vector<std::string> sizes;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind, slot, storage, dtype, size;
    words >> kind >> slot >> storage >> dtype >> size;
    if (kind == "external") sizes.push_back(size);
  }
  return sizes;
}

// Other names and sizes still run, and are the same for the same salt.
TEST_P(Recordings, AreHidden) {
  const std::string trace = kRecordings + GetParam() + ".json.gz --iterations 1 ";
  const std::string plain = folder_ / "plain", hidden = folder_ / "hidden",
                    again = folder_ / "again";
  const auto written = [](const std::string& path) {
    std::ifstream file(path);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  std::string last;
  for (const std::string& level : levels()) {
    last = fmt::format("--level {} ", level);
    const Json whole = replay(trace + last + "--only-plan --force --write-plan " + plain);
    const std::string how = trace + last + "--salt a --force --obfuscate ";
    const Json result = replay(how + "sizes --write-plan " + hidden);
    EXPECT_EQ(result["replay"]["failed_operators"], 0) << result["replay"]["failed_by_name"];
    EXPECT_EQ(result["replay"]["reshaped_steps"], 0);
    EXPECT_EQ(result["coverage"]["all_operators"], whole["coverage"]["all_operators"]);
    const double before = whole["planned_memory"]["peak_bytes"],
                 after = result["planned_memory"]["peak_bytes"];
    EXPECT_NEAR(after / before, 1, 0.15);
    EXPECT_NE(sizes_in(plain), sizes_in(hidden));
    EXPECT_EQ(written(hidden).find("# aten::"), std::string::npos);
    (void)replay(how + "names --only-plan --write-plan " + again);
    EXPECT_EQ(sizes_in(plain), sizes_in(again));
  }
  (void)replay(trace + last + "--salt a --force --obfuscate sizes --only-plan --write-plan " +
               again);
  EXPECT_EQ(written(hidden), written(again));
}

// A smaller batch is as much less work, memory and recorded operators being what they were.
TEST_F(Bench, SizesAreChanged) {
  const std::string mlp = kRecordings + "mlp.json.gz --iterations 1 ";
  const std::string plan = (folder_ / "plan").string();
  for (const char* level : {"--level top ", "--level kernel "}) {
    const Json whole = replay(mlp + level + "--only-plan");
    const Json less = replay(mlp + level + "--resize 128=32 --force --write-plan " + plan);
    EXPECT_EQ(less["replay"]["failed_operators"], 0) << less["replay"]["failed_by_name"];
    EXPECT_EQ(less["replay"]["reshaped_steps"], 0);
    EXPECT_EQ(less["coverage"]["all_operators"], whole["coverage"]["all_operators"]);
    EXPECT_LT(less["planned_memory"]["peak_bytes"], whole["planned_memory"]["peak_bytes"]);
    EXPECT_THAT(less["change"].get<std::string>(), HasSubstr("products -75.0 %"));
    EXPECT_THAT(sizes_in(plan), Contains("[32,512]"));
    EXPECT_THAT(sizes_in(plan), Not(Contains("[128,512]")));
  }
  // A part of it under other names, with sizes of which one was asked for
  const Json hidden = replay(kRecordings +
                             "transformer.json.gz --iterations 1 --subtrace layer=0 --resize 64=16 "
                             "--obfuscate sizes --salt a");
  EXPECT_EQ(hidden["replay"]["failed_operators"], 0) << hidden["replay"]["failed_by_name"];
  EXPECT_THAT(hidden["change"].get<std::string>(), HasSubstr("sizes 64=16"));
  EXPECT_THAT(ask("bench run " + mlp + "--resize 100=10").text,
              HasSubstr("no tensor has the size"));
  EXPECT_EQ(ask("bench run " + mlp + "--resize 128").code, 2);
  EXPECT_EQ(ask("bench run " + mlp + "--resize 128=32 --communication gloo").code, 2);
}

// Times of known kernels are what `orrery kernels` reads.
TEST_F(Bench, KernelTimesAreATable) {
  const std::string table = (folder_ / "kernels.csv").string();
  const std::string mlp = kRecordings + "mlp.json.gz ";
  (void)replay(mlp + "--level kernel --micro --filter mm --device-name my-host --kernels " + table);
  const Said seen = ask("kernels check " + table);
  EXPECT_EQ(seen.code, 0) << seen.text;
  EXPECT_THAT(seen.text, HasSubstr("my-host"));
  EXPECT_EQ(ask("bench run " + mlp + "--filter mm").code, 2) << "no --micro";
  EXPECT_EQ(ask("bench run " + mlp + "--micro --filter dance").code, 2);
  EXPECT_EQ(ask("bench run " + mlp + "--micro --html page.html").code, 2)
      << "needs a complete replay";
  EXPECT_EQ(ask("bench generate " + mlp + "-o program --html page.html").code, 2);
}

TEST_F(Bench, MistakesAreTold) {
  EXPECT_EQ(ask("bench").code, 2);
  EXPECT_EQ(ask("bench dance").code, 2);
  EXPECT_EQ(ask("bench run").code, 2);
  EXPECT_EQ(ask("bench run /nowhere.json").code, 3);
  const std::string mlp = "bench run " + kRecordings + "mlp.json.gz ";
  EXPECT_EQ(ask(mlp + "--level middle").code, 2);
  EXPECT_EQ(ask(mlp + "--subtrace scope=nowhere").code, 2);
  EXPECT_EQ(ask(mlp + "--obfuscate everything").code, 2);
  EXPECT_EQ(ask(mlp + "--salt a").code, 2) << "for nothing";
  EXPECT_EQ(ask(mlp + "--reuse 0,0").code, 2);
  EXPECT_EQ(ask(mlp + "--reuse=-1").code, 2);
  EXPECT_EQ(ask(mlp + "--iterations 0").code, 2);
  EXPECT_EQ(ask(mlp + "--memory-limit lots").code, 2);
}

// The program builds in a folder of its own, and calls what the replay calls, in its order.
TEST_F(Bench, GeneratedProgramsAreThePlan) {
  const std::string folder = (folder_ / "made").string();
  const std::string trace = kRecordings + "mlp.json.gz";
  const Said made = ask("bench generate " + trace + " --quiet -o " + folder);
  ASSERT_EQ(made.code, 0) << made.text;
  EXPECT_EQ(ask("bench generate " + trace + " -o " + folder).code, 2) << "files are in the way";
  EXPECT_EQ(ask("bench generate " + trace).code, 2) << "no folder";
  const std::string plan = file("plan.txt", "");
  (void)replay(trace + " --only-plan --force --write-plan " + plan);
  std::ifstream one(plan), other(folder + "/benchmark.txt");
  const std::string text{std::istreambuf_iterator<char>(one), {}};
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(other), {}));
  const std::string build = folder + "/build";
  ASSERT_EQ(build_program(folder), 0);
  ASSERT_EQ(std::system((build + "/benchmark --order > " + folder + "/order").c_str()), 0);
  // The operators of the plan's calls, by number.
  std::vector<std::string> operations, expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    std::size_t number = 0;
    words >> kind >> number >> name;
    if (kind == "operation") operations.push_back(name);
    if (kind == "call") expected.push_back(operations.at(number));
    if (kind == "view") expected.emplace_back("(view)");
  }
  std::ifstream order(folder + "/order");
  std::vector<std::string> called;
  for (std::string line; std::getline(order, line);) called.push_back(line);
  EXPECT_GT(called.size(), 100u);
  EXPECT_EQ(called, expected);
  EXPECT_EQ(std::system((build + "/benchmark --iterations 1 > " + folder + "/out").c_str()), 0);
  // Communications are delays in such programs.
  const std::string delayed =
      file("delayed.txt",
           "orrery benchmark 1\nslots 0\ngroup 0 \"\" []\n"
           "communicate all_reduce 0 8 delay 30000000 (t[], t[]) -> ; last\n"
           "wait 0 ; last\n");
  ASSERT_EQ(std::system((build + "/benchmark " + delayed + " > " + folder + "/out").c_str()), 0);
  std::ifstream out(folder + "/out");
  std::string word;
  double milliseconds = 0;
  out >> word >> milliseconds;
  EXPECT_EQ(word, "iteration");
  EXPECT_GE(milliseconds, 30);
}

// One program with all single operators, which are named as asked, writes what it measures.
TEST_F(Bench, GeneratedMicroProgramsTimeEach) {
  const std::string folder = (folder_ / "micro").string();
  const Said made = ask("bench generate " + kRecordings +
                        "mlp.json.gz --micro --filter mm --obfuscate names --quiet -o " + folder);
  ASSERT_EQ(made.code, 2) << "other names have no mm in them: " << made.text;
  const Said again = ask("bench generate " + kRecordings +
                         "mlp.json.gz --micro --filter op_ --obfuscate names --quiet -o " + folder);
  ASSERT_EQ(again.code, 0) << again.text;
  std::ifstream readme(folder + "/README.md");
  const std::string page{std::istreambuf_iterator<char>(readme), {}};
  EXPECT_THAT(page, HasSubstr("`op_0`"));
  EXPECT_EQ(page.find("aten::"), std::string::npos);
  // Its runtime is that of GeneratedProgramsAreThePlan; a compilation takes 17 s.
  if (!core_testing::full_effort()) return;
  const std::string build = folder + "/build", table = folder + "/times.json";
  ASSERT_EQ(build_program(folder), 0);
  ASSERT_EQ(std::system((build + "/benchmark --iterations 2 --json " + table + " --csv " + folder +
                         "/times.csv > " + folder + "/out")
                            .c_str()),
            0);
  std::ifstream times(table);
  const Json all = Json::parse(times, nullptr, false);
  ASSERT_TRUE(all.is_array());
  std::uint64_t weights = 0;
  for (const Json& one : all) {
    EXPECT_EQ(one["failures"], 0) << one;
    EXPECT_GT(one["median_ns"], 0) << one;
    weights += one["calls"].get<std::uint64_t>();
  }
  EXPECT_EQ(weights, 108u) << "all operators of the step";
  EXPECT_NE(std::system((build + "/benchmark --filter dance > /dev/null 2>&1").c_str()), 0);
}

// What the host did between operators takes at least as long as it was recorded to.
TEST_F(Bench, ThinksAsLongAsWasRecorded) {
  const std::string demo =
      std::string(core_testing::kSourceFolder) + "/data/demo/ddp_transformer/rank0.";
  const std::string plan = folder_ / "plan";
  const Json result = replay(demo + "et.json.gz " + demo +
                             "kineto.json.gz --think --iterations 2 "
                             "--write-plan " +
                             plan);
  std::ifstream text(plan);
  std::int64_t gaps = 0;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("gap ")) gaps += std::stoll(line.substr(4));
  EXPECT_GT(gaps, 1'000'000);
  EXPECT_GE(result["replay"]["wall_time"]["min_ns"], gaps);
}

// Recordings of GPUs by others: every operator is called or has a named rule.
TEST_F(Bench, PublicRecordingsAreCovered) {
  if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  for (const char* name :
       {"linear_et.json.gz", "dlrm_pytorch_et.tar.gz --replay-rank 0",
        "dlrm_pytorch_et.tar.gz --replay-rank 7", "resnet_et.json.gz",
        "resnet_2gpu_et.v1.1.0.json.gz", "resnet_1gpu_et.v1.0.3.json.gz",
        "resnet_1gpu_et.json.tar.gz", "hf_GPT2_et.json.tar.gz", "pt2_et.json.tar.gz"}) {
    const Json result = replay(kShared + name + " --only-plan --memory-limit 1TB");
    EXPECT_EQ(result["coverage"]["absent_operators"]["count"], 0) << name << result["coverage"];
    EXPECT_GT(result["coverage"]["all_operators"]["count"], 1) << name;
  }
  const Json dlrm =
      replay(kShared + "dlrm_pytorch_et.tar.gz --replay-rank 0 --iterations 2 --memory-limit 8GB");
  EXPECT_EQ(dlrm["replay"]["failed_operators"], 0) << dlrm["replay"]["failed_by_name"];
}

}  // namespace

// Where there is no module that is one error, which says how to get it.
// (A copy of the program has none, two folders down.)
TEST(BenchWithout, SaysHowToGetIt) {
#ifdef ORRERY_PROGRAM
  std::string pattern = "/tmp/orrery-bench-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  std::filesystem::create_directories(folder / "alone/bin");
  const std::string program = folder / "alone/bin/orrery";
  std::filesystem::copy_file(core_testing::kProgram, program);
  const Said said = ask("bench run " + kRecordings + "mlp.json.gz", "2>&1", program);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.text, HasSubstr("./setup bench"));
#endif
}

}  // namespace orrery
