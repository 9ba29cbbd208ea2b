// SPDX-License-Identifier: Apache-2.0
#include "resources/data_folder.h"

#include <cstdlib>
#include <filesystem>

#include "resources/built_in_data.h"

namespace orrery::app {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "demo" / "README.md", ignored);
}

Result<std::string> data_folder(const std::string& given) {
  const char* variable = std::getenv("ORRERY_DATA_DIR");
  const std::string asked = !given.empty() ? given : variable != nullptr ? variable : "";
  if (!asked.empty()) {
    if (holds_data(asked)) return asked;
    return fail(Errc::config_not_found, asked, "does not contain Orrery's data",
                "give the folder that contains demo/README.md");
  }
  if (const std::string_view archive = built_in_data(); !archive.empty())
    return unpacked_data(archive);
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (; !error && !folder.empty(); folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / "share" / "orrery" / "data", folder / "data"}) {
      if (holds_data(candidate)) return candidate.string();
    }
    if (folder == folder.root_path()) break;
  }
  return fail(Errc::config_not_found, "", "Orrery's data was not found",
              "set ORRERY_DATA_DIR to its data folder");
}

std::string near_path(const fs::path& path) {
  std::error_code ignored;
  const std::string near = fs::proximate(path, ignored).string();
  return near.empty() || near.starts_with("..") ? path.string() : near;
}

}  // namespace orrery::app
