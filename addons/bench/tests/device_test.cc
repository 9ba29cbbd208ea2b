// SPDX-License-Identifier: Apache-2.0
//
// orrery bench run --torch-device: what of it can be seen without a GPU.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "addons/bench/tests/bench_program_testing.h"

namespace orrery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Bench, TheHostIsTheDeviceByDefault) {
  const std::string mlp = kRecordings + "mlp.json.gz --iterations 2";
  const Json one = replay(mlp), two = replay(mlp + " --torch-device cpu");
  EXPECT_EQ(one["device"], "cpu");
  EXPECT_EQ(two["device"], "cpu");
  EXPECT_EQ(one["streams"], 1);
  EXPECT_EQ(one["coverage"], two["coverage"]);
  EXPECT_EQ(one["replay"]["peak_bytes"], two["replay"]["peak_bytes"]);
}

TEST_F(Bench, DevicesThatAreNotThereAreOneError) {
  const std::string run = "bench run " + kRecordings + "mlp.json.gz --iterations 1 --torch-device ";
  std::vector<std::string> names = {"tpu", "cuda:999"};
  if (core_testing::full_effort())
    names.insert(names.end(), {"cuda:x", "cuda:-1", "cuda:", "cpu:0", "''"});
  for (const std::string& name : names) {
    const Said said = ask(run + name);
    EXPECT_EQ(said.code, 2) << name << said.text;
    EXPECT_THAT(said.text, HasSubstr("--torch-device")) << name;
    EXPECT_THAT(said.text, Not(HasSubstr("replayed by"))) << name;
  }
  const Said said = ask(run + "cuda");
  if (said.code != 0) {
    EXPECT_EQ(said.code, 2) << said.text;
    EXPECT_THAT(said.text, HasSubstr("without CUDA, or it finds no GPU"));
  } else {
    EXPECT_THAT(said.text, HasSubstr(" on cuda"));
  }
}

// What a device does not go together with is said before anything is read.
TEST_F(Bench, DevicesAndOtherModes) {
  const std::string mlp = kRecordings + "mlp.json.gz ";
  for (const std::string& mode : std::vector<std::string>{
           "run " + mlp + "--torch-device cuda --communication gloo",
           "run " + mlp + "--torch-device cuda --obfuscate sizes --write-plan -",
           "generate " + mlp + "--torch-device cuda -o " + folder_.string() + "/program",
           "run " + mlp + "--torch-device cuda --similarity", "run " + mlp + "--synchronize",
           "run " + mlp + "--torch-device cpu --synchronize --micro"}) {
    const Said said = ask("bench " + mode);
    EXPECT_EQ(said.code, 2) << mode << said.text;
    EXPECT_THAT(said.text,
                HasSubstr(mode.find("sync") == std::string::npos ? "--torch-device" : "--synchronize"))
        << mode;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// PyTorch's device without memory: tensors, copies and calls are all elsewhere than on the host. Of
// some operators PyTorch has none for it; nothing else fails, as tensors of two devices would.
TEST_F(Bench, AnotherDeviceThanTheHost) {
  for (const std::string& name : std::vector<std::string>{"mlp", "transformer", "dlrm"}) {
    for (const std::string& level : levels()) {
      const std::string trace = kRecordings + name + ".json.gz --iterations 2 --level " + level;
      const Json host = replay(trace), meta = replay(trace + " --torch-device meta --synchronize");
      EXPECT_TRUE(meta.contains("similarity"));
      EXPECT_EQ(meta["device"], "meta");
      EXPECT_EQ(meta["coverage"]["all_operators"], host["coverage"]["all_operators"]);
      EXPECT_TRUE(name != "mlp" || meta["replay"]["failed_operators"] == 0);
      for (const Json& failed : meta["replay"]["failed_by_name"])
        EXPECT_THAT(failed["reason"].get<std::string>(), HasSubstr("from the 'Meta' backend"));
      EXPECT_FALSE(meta["replay"].contains("peak_bytes")) << "not counted there";
      EXPECT_EQ(meta["replay"]["wall_ns"].size(), 2u);
      EXPECT_GT(meta["replay"]["copied_bytes"], 0);
    }
  }
  const Said said = ask("bench run " + kRecordings + "mlp.json.gz --iterations 1 --torch-device meta");
  EXPECT_THAT(said.text, HasSubstr(" on meta"));
  EXPECT_THAT(said.text, Not(HasSubstr("operator mix"))) << "times are those of calls";
  EXPECT_THAT(said.text, HasSubstr("the device reports no peak"));
  const Json apart = replay(kRecordings + "mlp.json.gz --iterations 1 --micro --torch-device meta");
  EXPECT_EQ(apart["failed"], 0);
}

// Streams of a recording are printed, and one queue on the host plays them.
TEST_F(Bench, StreamsAsRecorded) {
  if (!std::filesystem::exists(kShared)) GTEST_SKIP() << "no " << kShared;
  const std::string dlrm = kShared + "dlrm_pytorch_et.tar.gz " + kShared +
                           "dlrm_kineto.tar.gz --replay-rank 0 --iterations 1 --memory-limit 8GB ";
  const Json result = replay(dlrm);
  EXPECT_GT(result["streams"], 1);
  EXPECT_EQ(result["replay"]["failed_operators"], 0) << result["replay"]["failed_by_name"];
  const Said said = ask("bench run " + dlrm + "--only-plan --write-plan -");
  EXPECT_THAT(said.text, HasSubstr("\nstream 1\n"));
  EXPECT_THAT(said.text, HasSubstr("one after another, in one queue"));
}

}  // namespace
}  // namespace orrery
