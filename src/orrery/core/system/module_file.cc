// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/module_file.h"

#include <sys/stat.h>

#include <filesystem>

namespace orrery {

std::string module_file(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  struct stat own {};
  if (::stat(program.c_str(), &own) != 0) return {};
  fs::path folder = program;
  for (int up = 0; up <= 2; ++up) {
    folder = folder.parent_path();
    const fs::path path = folder / ORRERY_LIB / "orrery" / name;
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && there.st_uid == own.st_uid) return path.string();
  }
  return {};
}

}  // namespace orrery
