// SPDX-License-Identifier: Apache-2.0
//
// Nothing that is fed to the program makes it crash, hang, swell or pretend that all is well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "hostile_case.h"
#include "orrery/core/paths_testing.h"

namespace orrery::hostile {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::vector<Case>& all_cases() {
  static std::vector<Case> all;
  if (!all.empty()) return all;
  for (const auto& some : {file_cases(),
                           framing_cases(),
                           node_cases(),
                           gzip_cases(),
                           json_cases(),
                           legacy_cases(),
                           network_cases(),
                           system_cases(),
                           memory_cases(),
                           group_cases(),
                           custom_cases(),
                           custom_map_cases(),
                           cluster_cases(),
                           run_file_cases(),
                           message_cases(),
                           collective_cases(),
                           number_cases(),
                           usage_cases(),
                           kineto_cut_cases(),
                           kineto_text_cases(),
                           kineto_value_cases(),
                           kineto_size_cases(),
                           execution_cut_cases(),
                           execution_node_cases(),
                           execution_size_cases(),
                           packed_cases(),
                           archive_cases(),
                           nsight_cases(),
                           rocpd_cases(),
                           perfetto_cases(),
                           xplane_cases(),
                           task_graph_cases(),
                           flight_recorder_cases(),
                           layer_cases(),
                           unlinked_cases(),
                           rank_value_cases(),
                           rank_cases(),
                           recorded_file_cases(),
                           recorded_output_cases(),
                           description_cases(),
                           tool_description_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::set<fs::path> files_in(const fs::path& folder) {
  std::set<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path name = entry.path().filename();
    if (!fs::is_directory(entry.symlink_status()) && name != ".out" && name != ".err")
      files.insert(entry.path());
  }
  return files;
}

/// GoogleTest stores pointers: copies of all cases' files would slow each fork down.
std::vector<const Case*> case_pointers() {
  std::vector<const Case*> pointers;
  for (const Case& hostile : all_cases()) pointers.push_back(&hostile);
  return pointers;
}

class Hostile : public ::testing::TestWithParam<const Case*> {};

TEST_P(Hostile, IsAnsweredInLittleMemoryAndNamed) {
  const Case& hostile = *GetParam();
  const fs::path folder = fs::path(::testing::TempDir()) /
                          ("orrery_hostile_" + std::to_string(getpid())) / hostile.name;
  prepare(hostile, folder);
  const std::set<fs::path> before = files_in(folder);
  const Answer got = answer(hostile, folder, core_testing::kProgram);
  SCOPED_TRACE("orrery " + hostile.command + "\n" + got.out.substr(0, 2000) + "\n" +
               got.err.substr(0, 2000));
  EXPECT_FALSE(got.late) << "hangs";
  EXPECT_EQ(got.exit_code, hostile.exit_code);
  const bool survived = hostile.exit_code < 2;
  EXPECT_THAT(hostile.exit_code, ::testing::AllOf(::testing::Ge(0), ::testing::Le(5)));
  if (!survived) {
    EXPECT_EQ(files_in(folder), before) << "half an output";
  }
  EXPECT_LT(got.peak_megabytes, kPeakMegabytes);
  ASSERT_FALSE(survived ? hostile.reports.empty() : hostile.says.empty());
  for (const std::string& part : hostile.says) EXPECT_THAT(got.err, HasSubstr(part));
  EXPECT_THAT(got.out, HasSubstr(hostile.reports));
  EXPECT_LT(got.err.size(), 4096u) << "a message, not a flood";
  EXPECT_EQ((got.err + got.out).find('\x1b'), std::string::npos) << "files talk to the terminal";
  RecordProperty("cpu_seconds", std::to_string(got.cpu_seconds));
  RecordProperty("peak_megabytes", std::to_string(got.peak_megabytes));
  if (HasFailure()) std::cout << "kept: " << folder << "\n";
  if (!HasFailure()) fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(All, Hostile, ::testing::ValuesIn(case_pointers()),
                         [](const auto& each) { return each.param->name; });

TEST(HostileSet, CoversEnough) {
  std::set<std::string> names;
  for (const Case& hostile : all_cases())
    EXPECT_TRUE(names.insert(hostile.name).second) << hostile.name;
  EXPECT_GE(names.size(), 400u);
}

TEST(HostileSet, StartsFromSoundFiles) {
  for (const std::string& command : {kRun, kAstra}) {
    const Case sound{"sound", command, 0, {}};
    const fs::path folder =
        fs::path(::testing::TempDir()) / ("orrery_hostile_sound_" + std::to_string(getpid()));
    prepare(sound, folder);
    const Answer got = answer(sound, folder, core_testing::kProgram);
    EXPECT_EQ(got.exit_code, 0) << got.err;
    fs::remove_all(folder);
  }
}

}  // namespace
}  // namespace orrery::hostile
