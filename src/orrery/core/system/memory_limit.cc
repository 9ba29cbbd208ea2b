// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/memory_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace orrery {

namespace {

constexpr std::uint64_t kUnlimited = MemoryLimits::kUnlimited;
std::atomic<std::uint64_t> memory_of_test{0};  // 0: none

/// The first word of a file as a number; empty: no file, or no number ("max").
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  if (!(file >> word)) return std::nullopt;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (wrong != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

/// A line "KEY: NUMBER kB" of a file in /proc, in bytes.
std::optional<std::uint64_t> kilobytes_in(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t number = 0;
    if (words >> name >> number && name == key) return number * 1024;
  }
  return std::nullopt;
}

std::uint64_t remaining(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

/// Remaining memory of the group at `path` below `mount` and of its parents.
std::uint64_t remaining_in(const std::string& mount, std::string path, const char* limit,
                           const char* usage) {
  std::uint64_t least = kUnlimited;
  while (true) {
    const std::string folder = mount + path + "/";
    if (const auto most = number_in(folder + limit))
      least = std::min(least, remaining(*most, number_in(folder + usage).value_or(0)));
    if (path.empty()) return least;
    path.erase(std::min(path.rfind('/'), path.size()));
  }
}

/// Lines "0::/PATH" (version 2) and "N:memory:/PATH" (version 1). In a container, the path can be
/// that of the host, and the group is mounted at the root.
std::uint64_t control_group_memory(const std::string& root) {
  std::uint64_t least = kUnlimited;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers == ",,")
      least = std::min(least,
                       remaining_in(root + "/sys/fs/cgroup", path, "memory.max", "memory.current"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, remaining_in(root + "/sys/fs/cgroup/memory", path,
                                           "memory.limit_in_bytes", "memory.usage_in_bytes"));
  }
  return least;
}

std::uint64_t soft_limit(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return kUnlimited;
  return limit.rlim_cur == RLIM_INFINITY ? kUnlimited : limit.rlim_cur;
}

std::uint64_t address_space_memory(const std::string& root) {
  std::uint64_t least = kUnlimited;
  const std::string status = root + "/proc/self/status";
  if (const std::uint64_t limit = soft_limit(RLIMIT_AS); limit != kUnlimited)
    least = remaining(limit, kilobytes_in(status, "VmSize:").value_or(0));
  if (const std::uint64_t limit = soft_limit(RLIMIT_DATA); limit != kUnlimited)
    least = std::min(least, remaining(limit, kilobytes_in(status, "VmData:").value_or(0)));
  return least;
}

}  // namespace

std::uint64_t MemoryLimits::available() const {
  return std::min({physical, control_group, address_space});
}

MemoryLimits memory_limits(const std::string& root) {
  MemoryLimits limits;
  limits.physical = kilobytes_in(root + "/proc/meminfo", "MemAvailable:").value_or(kUnlimited);
  limits.control_group = control_group_memory(root);
  limits.address_space = address_space_memory(root);
  return limits;
}

std::uint64_t available_memory() {
  const std::uint64_t fixed = memory_of_test;
  return fixed != 0 ? fixed : memory_limits().available();
}

Error memory_error(const std::bad_alloc& failure) {
  if (const auto* shortage = dynamic_cast<const MemoryShortage*>(&failure))
    return shortage->error();
  return {Errc::limit_exceeded, "", "out of memory", "simulate fewer ranks or use more memory"};
}

MemoryForTests::MemoryForTests(std::uint64_t bytes) { memory_of_test = bytes; }
MemoryForTests::~MemoryForTests() { memory_of_test = 0; }

}  // namespace orrery
