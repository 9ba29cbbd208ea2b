// SPDX-License-Identifier: Apache-2.0
//
// Landlock's calls have no functions in the C library:
// https://docs.kernel.org/userspace-api/landlock.html
#include "addons/ui/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>

namespace orrery::ui {

namespace {

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG;
/// All that version 1 knows. Execution is handled and allowed nowhere.
constexpr std::uint64_t kHandled = kRead | kWrite | LANDLOCK_ACCESS_FS_EXECUTE |
                                   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                   LANDLOCK_ACCESS_FS_MAKE_SYM;

void limit(int what, std::uint64_t value) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(what), &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, value);
  (void)::setrlimit(static_cast<__rlimit_resource_t>(what), &now);
}

void allow(int ruleset, const std::string& path, std::uint64_t access) {
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return;
  (void)::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(rule.parent_fd);
}

}  // namespace

bool can_confine_files() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

bool confine(const Confinement& rules) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  if (rules.memory_bytes > 0) limit(RLIMIT_AS, rules.memory_bytes);
  if (rules.cpu_seconds > 0)
    limit(RLIMIT_CPU, static_cast<std::uint64_t>(std::ceil(rules.cpu_seconds)));
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = kHandled;
  const auto ruleset =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (ruleset < 0) return false;
  allow(ruleset, rules.folder, kRead | kWrite);
  const std::filesystem::path own = std::filesystem::path(rules.program).parent_path();
  for (const std::string& path :
       {std::string("/usr"), std::string("/lib"), std::string("/lib64"),
        std::string("/proc/meminfo"), std::string("/proc/self"), std::string("/sys/fs/cgroup"),
        own.string(), own.parent_path().string() + "/lib"})
    allow(ruleset, path, kRead);
  allow(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE);
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const bool done = ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return done;
}

}  // namespace orrery::ui
