// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace orrery {
namespace {

namespace fs = std::filesystem;

class MemoryLimitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(MemoryLimitTest, UnreadableLimitsDoNotLimit) {
  const MemoryLimits limits = memory_limits(root_);
  EXPECT_EQ(limits.physical, MemoryLimits::kUnlimited);
  EXPECT_EQ(limits.control_group, MemoryLimits::kUnlimited);
}

TEST_F(MemoryLimitTest, ReadsFreeMemoryIncludingCaches) {
  write("/proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable:    3000 kB\n");
  EXPECT_EQ(memory_limits(root_).physical, 3000u * 1024);
}

TEST_F(MemoryLimitTest, ReadsVersion2AndTheParentsOfTheGroup) {
  write("/proc/self/cgroup", "0::/job/step\n");
  write("/sys/fs/cgroup/job/step/memory.max", "max\n");
  write("/sys/fs/cgroup/job/memory.max", "5000\n");
  write("/sys/fs/cgroup/job/memory.current", "1800\n");
  EXPECT_EQ(memory_limits(root_).control_group, 3200u);
  write("/sys/fs/cgroup/memory.max", "2000\n");  // as a container sees its own group
  EXPECT_EQ(memory_limits(root_).control_group, 2000u);
}

TEST_F(MemoryLimitTest, ReadsVersion1) {
  write("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n");
  write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "700\n");
  write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "900\n");
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limits(root_).control_group, 0u);
}

TEST_F(MemoryLimitTest, TheSmallestLimitCounts) {
  EXPECT_EQ((MemoryLimits{.physical = 3, .control_group = 2, .address_space = 4}).available(), 2u);
  EXPECT_EQ((MemoryLimits{.physical = 3, .control_group = 5, .address_space = 4}).available(), 3u);
}

TEST_F(MemoryLimitTest, AddressSpaceSubtractsWhatIsInUse) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "the address space is limited";
  EXPECT_EQ(memory_limits(root_).address_space, MemoryLimits::kUnlimited);
  write("/proc/self/status", "VmSize: 1000 kB\n");
  rlimit limited = before;
  limited.rlim_cur = rlim_t{1} << 46;  // far more than this process uses, sanitizers included
  if (before.rlim_max != RLIM_INFINITY) GTEST_SKIP() << "the address space is limited";
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  const MemoryLimits limits = memory_limits(root_);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(limits.address_space, (std::uint64_t{1} << 46) - 1000u * 1024);
}

TEST_F(MemoryLimitTest, TestsReplaceTheAvailableMemory) {
  {
    const MemoryForTests little(1234);
    EXPECT_EQ(available_memory(), 1234u);
  }
  EXPECT_NE(available_memory(), 1234u);
}

}  // namespace
}  // namespace orrery
