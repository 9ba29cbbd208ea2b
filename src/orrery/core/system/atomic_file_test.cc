// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

namespace orrery {
namespace {

namespace fs = std::filesystem;

class WholeFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "orrery_whole_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  fs::path folder_;
};

/// Files of at most so many bytes while this lives: like a disk that is full by then.
class FullAfter {
 public:
  explicit FullAfter(rlim_t most) {
    (void)::getrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{most, before_.rlim_max};
    (void)::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullAfter() {
    (void)::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_{};
};

void expect_exists(const Result<void>& refused, const std::string& path) {
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            path + ": exists already (E1009)\n  hint: --force overwrites it");
}

void expect_failed(const Result<void>& refused, const std::string& path, const std::string& why) {
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            path + ": cannot be written: " + why +
                " (E1010)\n"
                "  hint: write to another path, or free space and allow write access there");
}

TEST_F(WholeFiles, AppearWholeWhenTheyAreFinished) {
  auto file = AtomicFile::create(path("a"), {});
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("one, "));
  ASSERT_TRUE(file->write(""));
  ASSERT_TRUE(file->write("two"));
  ASSERT_TRUE(file->write_at(0, "O"));
  EXPECT_EQ(file->size(), 8U);
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ(files(), 1U) << "a temporary file in its folder";
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(bytes("a"), "One, two");
  EXPECT_EQ(files(), 1U);
  EXPECT_FALSE(file->write("three")) << "it is finished";
  EXPECT_FALSE(file->finish());
  EXPECT_EQ(bytes("a"), "One, two");
}

TEST_F(WholeFiles, LeaveNothingWhenTheyAreAbandoned) {
  for (const bool force : {false, true}) {
    auto file = AtomicFile::create(path("a"), {.force = force});
    ASSERT_TRUE(file && file->write("half"));
    const AtomicFile moved = *std::move(file);
    EXPECT_EQ(files(), 1U);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(WholeFiles, AreOverwrittenOnRequestOnly) {
  ASSERT_TRUE(write_file_atomically(path("a"), "old", {}));
  expect_exists(write_file_atomically(path("a"), "new", {}), path("a"));
  expect_exists(check_absent(path("a"), false), path("a"));
  EXPECT_EQ(bytes("a"), "old");
  EXPECT_TRUE(check_absent(path("a"), true));
  EXPECT_TRUE(check_absent(path("b"), false));
  ASSERT_TRUE(write_file_atomically(path("a"), "new", {.force = true}));
  EXPECT_EQ(bytes("a"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFiles, ThatAppearInTheMeantimeStay) {
  auto file = AtomicFile::create(path("a"), {});
  ASSERT_TRUE(file && file->write("ours"));
  std::ofstream(path("a")) << "theirs";
  expect_exists(file->finish(), path("a"));
  EXPECT_EQ(bytes("a"), "theirs");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFiles, OldOnesStayWhenNewOnesCannotBeWritten) {
  ASSERT_TRUE(write_file_atomically(path("a"), "old", {}));
  const std::string large(100'000, 'x');
  for (const rlim_t most : {0UL, 1UL, 99'999UL}) {
    const FullAfter full(most);
    expect_failed(write_file_atomically(path("a"), large, {.force = true}), path("a"),
                  "File too large");
    expect_failed(write_file_atomically(path("b"), large, {}), path("b"), "File too large");
    EXPECT_EQ(bytes("a"), "old");
    EXPECT_EQ(files(), 1U);
  }
}

TEST_F(WholeFiles, RememberTheirFirstError) {
  auto file = AtomicFile::create(path("a"), {});
  ASSERT_TRUE(file);
  {
    const FullAfter full(3);
    expect_failed(file->write("four"), path("a"), "File too large");
  }
  EXPECT_TRUE(file->failed());
  EXPECT_EQ(files(), 0U) << "no space is used by unfinished files";
  expect_failed(file->write("five"), path("a"), "File too large");
  expect_failed(file->write_at(0, "s"), path("a"), "File too large");
  expect_failed(file->finish(), path("a"), "File too large");
  EXPECT_EQ(file->size(), 0U);
}

TEST_F(WholeFiles, MakeTheirFoldersOrSayWhyNot) {
  ASSERT_TRUE(write_file_atomically(path("new/folder/a"), "a", {}));
  EXPECT_EQ(bytes("new/folder/a"), "a");
  std::ofstream(path("file")) << "no folder";
  expect_failed(write_file_atomically(path("file/a"), "a", {}), path("file/a"), "Not a directory");
  for (const bool force : {false, true}) {
    expect_failed(write_file_atomically(path("new/folder"), "a", {.force = force}),
                  path("new/folder"), "Is a directory");
  }
  EXPECT_EQ(files(), 2U);
  fs::permissions(path("new"), fs::perms::owner_read | fs::perms::owner_exec);
  const bool root = ::geteuid() == 0;  // … who may write anywhere
  if (!root || ::seteuid(65534) == 0) {
    expect_failed(write_file_atomically(path("new/a"), "a", {}), path("new/a"),
                  "Permission denied");
  }
  if (root) {
    EXPECT_EQ(::seteuid(0), 0);
  }
  fs::permissions(path("new"), fs::perms::owner_all);
}

TEST_F(WholeFiles, GoToDevicesDirectly) {
  EXPECT_TRUE(is_device("/dev/null"));
  EXPECT_TRUE(is_device("/dev/stdout"));
  EXPECT_FALSE(is_device(path("none")));
  EXPECT_FALSE(is_device(path("")));
  EXPECT_TRUE(check_absent("/dev/null", false));
  EXPECT_TRUE(write_file_atomically("/dev/null", "gone", {}));
  struct stat status {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  expect_failed(write_file_atomically("/dev/full", "gone", {}), "/dev/full",
                "No space left on device");

  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::thread reader([&] { EXPECT_EQ(bytes("pipe"), "through"); });
  EXPECT_TRUE(write_file_atomically(path("pipe"), "through", {}));
  reader.join();
  EXPECT_TRUE(is_device(path("pipe"))) << "it is still there";
  EXPECT_EQ(files(), 1U);
}

// /dev/stdout may lead to a file: that one is neither replaced nor begun again.
TEST_F(WholeFiles, GoOnWhereADescriptorIs) {
  const int open = ::open(path("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(open, 0);
  ASSERT_EQ(write_all(open, "first, "), 0);
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string name = folder + std::to_string(open);
    EXPECT_TRUE(is_device(name));
    EXPECT_TRUE(check_absent(name, false));
    EXPECT_TRUE(write_file_atomically(name, "next, ", {}));
  }
  auto onto = AtomicFile::onto(open, "stdout");
  ASSERT_TRUE(onto.write("last") && onto.finish());
  EXPECT_EQ(::close(open), 0) << "it was left open";
  EXPECT_EQ(bytes("log"), "first, next, next, last");
  EXPECT_EQ(files(), 1U);

  auto nowhere = AtomicFile::onto(open, "stdout");
  const auto refused = nowhere.write("gone");
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()), "stdout: cannot be written: Bad file descriptor (E1010)");
  EXPECT_FALSE(is_device("/dev/fd/none"));
}

TEST_F(WholeFiles, MayBeLarge) {
  std::string piece(1'000'003, ' ');
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<char>(i * 7);
  std::string whole;
  auto file = AtomicFile::create(path("a"), {.skip_sync = true});
  ASSERT_TRUE(file);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(file->write(piece));
    whole += piece;
  }
  ASSERT_TRUE(file->write_at(500'000, whole.substr(0, 2'000'000)));
  whole.replace(500'000, 2'000'000, std::string(whole, 0, 2'000'000));
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(file->size(), whole.size());
  EXPECT_TRUE(bytes("a") == whole);
}

// A killed program's temporary, with the number of this one by chance; and two writers at once.
TEST_F(WholeFiles, TakeNobodysTemporary) {
  const std::string taken = path("a") + "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream(taken) << "theirs";
  auto one = AtomicFile::create(path("a"), {});
  auto two = AtomicFile::create(path("a"), {});
  ASSERT_TRUE(one && two && one->write("one") && two->write("two"));
  ASSERT_TRUE(two->finish());
  expect_exists(one->finish(), path("a"));
  EXPECT_EQ(bytes("a"), "two");
  EXPECT_EQ(files(), 2U);
  fs::remove(taken);
}

// What a signal handler does, here in a program of its own: removed is everything that is being
// written, by whatever thread, and nothing else.
TEST_F(WholeFiles, GoWhenTheProgramEnds) {
  ASSERT_TRUE(write_file_atomically(path("finished"), "whole", {}));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)std::signal(SIGTERM, [](int) {
      remove_temporary_files();
      ::_exit(7);
    });
    std::vector<AtomicFile> open;
    open.reserve(100);
    for (int i = 0; i < 100; ++i) {
      auto file = AtomicFile::create(path("f" + std::to_string(i)), {});
      if (!file || !file->write("half")) ::_exit(1);
      open.push_back(*std::move(file));
      if (i % 3 == 0) (void)open.back().finish();
      if (i % 3 == 1) open.pop_back();
    }
    (void)::raise(SIGTERM);
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_EQ(files(), 1U + 34U) << "those that were finished";
}

}  // namespace
}  // namespace orrery
