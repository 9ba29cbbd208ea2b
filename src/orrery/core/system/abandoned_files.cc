// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/abandoned_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

namespace orrery {

namespace {

constexpr std::string_view kPrefix = ".orrery-";
constexpr std::string_view kSuffix = ".tmp";
constexpr int kMaxEntries = 10'000;

/// The first part of the id that Linux draws at each boot; empty if it cannot be read.
const std::string& boot_id() {
  static const std::string id = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return text.substr(0, text.find('-'));
  }();
  return id;
}

/// "" for a name without a folder, else a text that ends in '/'.
std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

/// The process that a name of temporary_name() names, if it is from this boot; else 0.
pid_t process_of(std::string_view name) {
  if (boot_id().empty() || !name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  name.remove_prefix(kPrefix.size());
  if (!name.starts_with(boot_id() + "-")) return 0;
  name.remove_prefix(boot_id().size() + 1);
  pid_t process = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), process);
  return parsed.ec == std::errc{} && *parsed.ptr == '-' && process > 0 ? process : 0;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

void remove_if_abandoned(int folder, const char* name) {
  const pid_t process = process_of(name);
  if (process == 0 || !is_gone(process)) return;
  // For writing: NFS grants exclusive locks to no other descriptors.
  const int file = ::openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
      ::flock(file, LOCK_EX | LOCK_NB) == 0) {
    (void)::unlinkat(folder, name, 0);
  }
  (void)::close(file);
}

}  // namespace

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> number{0};
  return fmt::format("{}{}{}-{}-{}{}", folder_of(path), kPrefix, boot_id(), ::getpid(), ++number,
                     kSuffix);
}

bool lock_temporary(int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

void remove_abandoned_files(const std::string& path) {
  std::string folder = folder_of(path);
  if (folder.empty()) folder = ".";
  static std::mutex mutex;
  static std::set<std::string> searched;
  {
    const std::lock_guard lock(mutex);
    if (!searched.insert(folder).second) return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return;
  for (int i = 0; i < kMaxEntries; ++i) {
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) return;
    remove_if_abandoned(::dirfd(entries.get()), entry->d_name);
  }
}

}  // namespace orrery
