// SPDX-License-Identifier: Apache-2.0
//
// Takes away what a process that answers does not need.
#pragma once

#include <cstdint>
#include <string>

namespace orrery::ui {

/// Limits of a process.
struct Confinement {
  std::string folder;              ///< may be read and written
  std::string program;             ///< its folders, two levels up, may be read
  std::uint64_t memory_bytes = 0;  ///< address space; 0: as before
  double cpu_seconds = 0;          ///< 0: as before
};

/// Confines this process for good: limits (setrlimit), no core files, and with Landlock (Linux
/// 5.13) no files but those of `folder`, the program and the system's libraries. It also ends when
/// its parent ends. False: this kernel has no Landlock.
bool confine(const Confinement& rules);

/// Whether this kernel can confine files.
[[nodiscard]] bool can_confine_files();

}  // namespace orrery::ui
