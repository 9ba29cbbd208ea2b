// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/file_read_recorder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/core/system/sha256.h"
#include "orrery/core/system/thread_pool.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

class FilesReadTest : public testing::Test {
 protected:
  FilesReadTest() : folder_(fs::path(testing::TempDir()) / "orrery_files_read") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FilesReadTest() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

TEST_F(FilesReadTest, RecordsWhatIsReadWhileItExists) {
  const std::string a = write("a", "1"), b = write("b", "2"), c = write("c", "3");
  record_file_read(a);  // no scope: no effect
  FileReadRecorder all;
  record_file_read(b);
  {
    const FileReadRecorder inner;
    record_file_read(c, "3");
    EXPECT_EQ(inner.hashes(), (FileHashes{{c, sha256_of("3")}}));
  }
  EXPECT_EQ(all.hashes(), (FileHashes{{b, sha256_of("2")}, {c, sha256_of("3")}}));
}

TEST_F(FilesReadTest, RecordsWhatThreadsOfAPoolRead) {
  std::vector<std::string> files;
  FileHashes expected;
  for (int i = 0; i < 40; ++i) {
    files.push_back(write(std::to_string(i), std::to_string(i)));
    expected.emplace(files.back(), sha256_of(std::to_string(i)));
  }
  for (const std::uint32_t threads : {1u, 4u}) {
    ThreadPool pool(threads);
    {
      const FileReadRecorder scope;
      pool.parallel_for(40, [&](std::uint32_t i) { record_file_read(files[i]); });
      EXPECT_EQ(scope.hashes(), expected);
    }
    pool.parallel_for(40, [&](std::uint32_t i) { record_file_read(files[i]); });  // into no scope
  }
}

TEST_F(FilesReadTest, AFileThatWasMissingAndAppearsIsAChange) {
  const std::string there = write("there", "1"), missing = (folder_ / "missing").string();
  const FileReadRecorder scope;
  record_file_read(there);
  record_file_read(missing);
  EXPECT_EQ(scope.hashes().at(missing), "");
  EXPECT_TRUE(CurrentFiles().unchanged(scope.hashes()));
  write("missing", "");
  EXPECT_FALSE(CurrentFiles().unchanged(scope.hashes()));
}

TEST_F(FilesReadTest, ContentCountsAndNotTheTimeOfWriting) {
  const std::string path = write("a", "1");
  const FileReadRecorder scope;
  record_file_read(path);
  write("a", "1");
  EXPECT_TRUE(CurrentFiles().unchanged(scope.hashes()));
  write("a", "2");
  EXPECT_FALSE(CurrentFiles().unchanged(scope.hashes()));
}

TEST_F(FilesReadTest, AFolderCanBeMoved) {
  const std::string path = write("a", "1");
  const FileHashes files = relative_to(folder_.string(), {{path, sha256_of("1")}});
  EXPECT_EQ(files.begin()->first, "a");
  EXPECT_TRUE(CurrentFiles(folder_.string()).unchanged(files));
  EXPECT_EQ(relative_to("spaces", {{"spaces/a", "1"}, {"b", "2"}}),
            (FileHashes{{"a", "1"}, {"../b", "2"}}));
  EXPECT_EQ(relative_to("", {{"a", "1"}}), (FileHashes{{"a", "1"}}));
}

}  // namespace
}  // namespace orrery
