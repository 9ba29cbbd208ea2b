// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "orrery/core/system/abandoned_files.h"

// These calls of the system are replaced in this program, for all tests.
namespace {

/// Hides /proc/self/fd: then a file without a name could not get one.
bool hides_descriptors = false;
int renamed = 0, renamed_unlocked = 0;

bool is_locked(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool locked = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  (void)::close(file);
  return locked;
}

}  // namespace

extern "C" int access(const char* path, int mode) noexcept {
  if (hides_descriptors && std::string_view(path).starts_with("/proc/self/fd/")) {
    errno = ENOENT;
    return -1;
  }
  return ::faccessat(AT_FDCWD, path, mode, 0);
}

extern "C" int rename(const char* from, const char* to) noexcept {
  ++renamed;
  if (!is_locked(from)) ++renamed_unlocked;
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// The parameter: temporary files with a name, as where /proc is missing; or without a name, where
/// the file system supports that.
class WholeFiles : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    hides_descriptors = GetParam();
    std::string name = testing::TempDir() + "orrery_whole_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    hides_descriptors = false;
    fs::remove_all(folder_);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] static FilePlacement placed(bool force = false) { return {.force = force}; }
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

TEST_P(WholeFiles, AppearWholeWhenTheyAreFinished) {
  auto file = AtomicFile::create(path("a"), placed());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("one, "));
  ASSERT_TRUE(file->write(""));
  ASSERT_TRUE(file->write("two"));
  ASSERT_TRUE(file->write_at(0, "O"));
  EXPECT_EQ(file->size(), 8U);
  EXPECT_FALSE(fs::exists(path("a")));
  EXPECT_EQ(files(), GetParam() ? 1U : 0U) << "at most a temporary file in its folder";
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(bytes("a"), "One, two");
  EXPECT_EQ(files(), 1U);
  EXPECT_FALSE(file->write("three")) << "it is finished";
  EXPECT_FALSE(file->finish());
  EXPECT_EQ(bytes("a"), "One, two");
}

TEST_P(WholeFiles, LeaveNothingWhenTheyAreAbandoned) {
  for (const bool force : {false, true}) {
    auto file = AtomicFile::create(path("a"), placed(force));
    ASSERT_TRUE(file && file->write("half"));
    const AtomicFile moved = *std::move(file);
    EXPECT_EQ(files(), GetParam() ? 1U : 0U);
  }
  EXPECT_EQ(files(), 0U);
}

TEST_P(WholeFiles, AreOverwrittenOnRequestOnly) {
  ASSERT_TRUE(write_file_atomically(path("a"), "old", placed()));
  expect_exists(write_file_atomically(path("a"), "new", placed()), path("a"));
  expect_exists(check_absent(path("a"), false), path("a"));
  EXPECT_EQ(bytes("a"), "old");
  EXPECT_TRUE(check_absent(path("a"), true));
  EXPECT_TRUE(check_absent(path("b"), false));
  ASSERT_TRUE(write_file_atomically(path("a"), "new", placed(true)));
  EXPECT_EQ(bytes("a"), "new");
  EXPECT_EQ(files(), 1U);
}

// Another program would remove a temporary that is not locked, if the id of this process does not
// exist in its container.
TEST_P(WholeFiles, AreLockedUntilTheyReplaceTheOldOnes) {
  ASSERT_TRUE(write_file_atomically(path("a"), "old", placed()));
  renamed = renamed_unlocked = 0;
  ASSERT_TRUE(write_file_atomically(path("a"), "new", placed(true)));
  EXPECT_EQ(bytes("a"), "new");
  EXPECT_EQ(renamed, 1);
  EXPECT_EQ(renamed_unlocked, 0);
}

TEST_P(WholeFiles, ThatAppearInTheMeantimeStay) {
  auto file = AtomicFile::create(path("a"), placed());
  ASSERT_TRUE(file && file->write("ours"));
  std::ofstream(path("a")) << "theirs";
  expect_exists(file->finish(), path("a"));
  EXPECT_EQ(bytes("a"), "theirs");
  EXPECT_EQ(files(), 1U);
}

TEST_P(WholeFiles, OldOnesStayWhenNewOnesCannotBeWritten) {
  ASSERT_TRUE(write_file_atomically(path("a"), "old", placed()));
  const std::string large(100'000, 'x');
  for (const rlim_t most : {0UL, 1UL, 99'999UL}) {
    const FullAfter full(most);
    expect_failed(write_file_atomically(path("a"), large, placed(true)), path("a"),
                  "File too large");
    expect_failed(write_file_atomically(path("b"), large, placed()), path("b"), "File too large");
    EXPECT_EQ(bytes("a"), "old");
    EXPECT_EQ(files(), 1U);
  }
}

TEST_P(WholeFiles, RememberTheirFirstError) {
  auto file = AtomicFile::create(path("a"), placed());
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

TEST_P(WholeFiles, MakeTheirFoldersOrSayWhyNot) {
  ASSERT_TRUE(write_file_atomically(path("new/folder/a"), "a", placed()));
  EXPECT_EQ(bytes("new/folder/a"), "a");
  std::ofstream(path("file")) << "no folder";
  expect_failed(write_file_atomically(path("file/a"), "a", placed()), path("file/a"),
                "Not a directory");
  for (const bool force : {false, true}) {
    expect_failed(write_file_atomically(path("new/folder"), "a", placed(force)), path("new/folder"),
                  "Is a directory");
  }
  EXPECT_EQ(files(), 2U);
  fs::permissions(path("new"), fs::perms::owner_read | fs::perms::owner_exec);
  const bool root = ::geteuid() == 0;  // … who may write anywhere
  if (!root || ::seteuid(65534) == 0) {
    expect_failed(write_file_atomically(path("new/a"), "a", placed()), path("new/a"),
                  "Permission denied");
  }
  if (root) {
    EXPECT_EQ(::seteuid(0), 0);
  }
  fs::permissions(path("new"), fs::perms::owner_all);
}

TEST_P(WholeFiles, GoToDevicesDirectly) {
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
TEST_P(WholeFiles, GoOnWhereADescriptorIs) {
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

TEST_P(WholeFiles, MayBeLarge) {
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

TEST_P(WholeFiles, OfTwoWritersDoNotShareATemporary) {
  auto one = AtomicFile::create(path("a"), placed());
  auto two = AtomicFile::create(path("a"), placed());
  ASSERT_TRUE(one && two && one->write("one") && two->write("two"));
  ASSERT_TRUE(two->finish());
  expect_exists(one->finish(), path("a"));
  EXPECT_EQ(bytes("a"), "two");
  EXPECT_EQ(files(), 1U);
}

// SIGKILL runs no handler. This process, which has another id, is the next program that writes to
// the folder.
TEST_P(WholeFiles, OfKilledProgramsAreRemovedByTheNext) {
  const pid_t killed = ::fork();
  ASSERT_GE(killed, 0);
  if (killed == 0) {
    auto file = AtomicFile::create(path("a"), placed());
    if (!file || !file->write("half")) ::_exit(1);
    (void)::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(killed, &status, 0), killed);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(files(), GetParam() ? 1U : 0U);

  const std::string own = fs::path(temporary_name(path("a"))).filename();
  const std::string dead = std::to_string(killed) + "-";
  std::string foreign = own;  // what a dead process of another boot would write
  foreign.replace(0, own.rfind("-", own.rfind("-") - 1) + 1, ".orrery-00000000-" + dead);
  std::ofstream(path(own)) << "of a living process";
  std::ofstream(path(foreign)) << "of another boot";
  std::ofstream(path("a." + dead + "tmp")) << "of another program";
  ASSERT_TRUE(write_file_atomically(path("b"), "whole", placed()));
  EXPECT_EQ(files(), 4U);
  EXPECT_EQ(bytes("b"), "whole");
}

// A process id of another container looks like that of a dead process: the lock shows that it
// lives.
TEST_P(WholeFiles, ThatAreLockedStay) {
  std::string name = temporary_name(path("a"));
  const std::string number = "-" + std::to_string(::getpid()) + "-";
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  name.replace(name.rfind(number), number.size(), "-" + std::to_string(gone) + "-");
  const int other = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(other, 0);
  ASSERT_TRUE(lock_temporary(other));
  ASSERT_TRUE(write_file_atomically(path("b"), "whole", placed()));
  EXPECT_EQ(files(), 2U);
  ASSERT_EQ(::unlink(name.c_str()), 0);
  EXPECT_FALSE(lock_temporary(other)) << "it was removed";
  EXPECT_EQ(::close(other), 0);
}

// What a signal handler does, here in a program of its own: removed is everything that is being
// written, by whatever thread, and nothing else.
TEST_P(WholeFiles, GoWhenTheProgramEnds) {
  ASSERT_TRUE(write_file_atomically(path("finished"), "whole", placed()));
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
      auto file = AtomicFile::create(path("f" + std::to_string(i)), placed());
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

INSTANTIATE_TEST_SUITE_P(Temporaries, WholeFiles, testing::Bool(),
                         [](const auto& named) { return named.param ? "Named" : "WithoutName"; });

}  // namespace
}  // namespace orrery
