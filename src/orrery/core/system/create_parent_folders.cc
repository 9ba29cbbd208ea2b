// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/create_parent_folders.h"

#include <filesystem>

namespace orrery {

std::error_code create_parent_folders(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    error.clear();
    std::filesystem::create_directories(folder, error);
  }
  return error;
}

}  // namespace orrery
