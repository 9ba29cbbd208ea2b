// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/named_file.h"

#include <filesystem>
#include <utility>

#include "orrery/config/document.h"

namespace orrery::workload {

std::optional<NamedFile> file_beside(const std::string& where, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || path.find("${") != std::string::npos) return std::nullopt;
  std::error_code error;
  const auto read = [&](const fs::path& file) -> std::optional<NamedFile> {
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    auto text = config::read_text(file.string());
    if (!text) return std::nullopt;
    return NamedFile{file.string(), *std::move(text)};
  };
  constexpr int kHighest = 8;
  fs::path folder = fs::path(where).parent_path();
  if (fs::path(path).is_absolute()) folder = fs::path(path).parent_path();
  if (folder.is_relative() && !read(folder / path) && !read(folder / fs::path(path).filename()))
    folder = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  for (int up = 0; up < kHighest; ++up) {
    if (auto found = read(folder / path)) return found;
    if (up == 0)
      if (auto found = read(folder / fs::path(path).filename())) return found;
    if (!folder.has_parent_path() || folder.parent_path() == folder) break;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

}  // namespace orrery::workload
