// SPDX-License-Identifier: Apache-2.0
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "orrery/trace/inputs/format.h"

namespace orrery::trace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Removes and returns the digits at the start of `text`.
std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

std::string_view without_zeros(std::string_view digits) {
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  return digits.substr(first);
}

namespace fs = std::filesystem;

/// The XPlane files of a folder, sorted.
std::vector<std::string> xplane_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".xplane.pb") || name.ends_with(".xplane.pb.gz"))
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end(), natural_less);
  return files;
}

/// The files of a profile in a folder of TensorBoard, which has
/// plugins/profile/TIME/HOST.xplane.pb, or in one of these folders. Empty: it is another folder.
/// Errc: usage (several profiles).
Result<std::vector<std::string>> tensorboard_files(const std::string& folder) {
  if (auto files = xplane_files(folder); !files.empty()) return files;
  std::vector<std::string> profiles, files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(folder) / "plugins/profile", ignored)) {
    auto found = xplane_files(entry.path());
    if (found.empty()) continue;
    profiles.push_back(entry.path().string());
    files = std::move(found);
  }
  std::sort(profiles.begin(), profiles.end(), natural_less);
  if (profiles.size() > 1)
    return fail(Errc::usage, folder, "has the profiles of several times",
                "give one of them, for example " + profiles.back());
  return files;
}

struct FreeGlob {
  void operator()(glob_t* found) const { ::globfree(found); }
};

}  // namespace

bool natural_less(std::string_view left, std::string_view right) {
  const std::string_view whole_left = left;
  const std::string_view whole_right = right;
  while (!left.empty() && !right.empty()) {
    if (is_digit(left[0]) && is_digit(right[0])) {
      const std::string_view a = without_zeros(take_digits(left));
      const std::string_view b = without_zeros(take_digits(right));
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
      continue;
    }
    if (left[0] != right[0]) {
      return static_cast<unsigned char>(left[0]) < static_cast<unsigned char>(right[0]);
    }
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) return left.empty();
  if (whole_left.size() != whole_right.size()) return whole_left.size() < whole_right.size();
  return whole_left < whole_right;  // they differ only in the places of zeros
}

Result<std::vector<std::string>> expand(const std::string& pattern) {
  struct stat info {};
  if (::stat(pattern.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      auto files = tensorboard_files(pattern);
      if (!files || !files->empty()) return files;
    }
    return std::vector<std::string>{pattern};
  }
  if (pattern.find_first_of("*?[") == pattern.npos)
    return fail(Errc::input_not_found, pattern, "there is no such file");
  glob_t matches{};
  const std::unique_ptr<glob_t, FreeGlob> owner(&matches);
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT | GLOB_MARK, nullptr, &matches);
  if (code == GLOB_NOSPACE)
    return fail(Errc::limit_exceeded, pattern, "matches too many files for the available memory");
  std::vector<std::string> paths;
  for (std::size_t i = 0; code == 0 && i < matches.gl_pathc; ++i) {
    std::string path = matches.gl_pathv[i];
    if (path.back() != '/') paths.push_back(std::move(path));
  }
  if (paths.empty()) return fail(Errc::input_not_found, pattern, "no file matches this pattern");
  std::sort(paths.begin(), paths.end(), natural_less);
  return paths;
}

}  // namespace orrery::trace
