// SPDX-License-Identifier: Apache-2.0
//
// The files that models of kernel times answer from, declared once: keys of cluster files, options,
// fields of questions, errors, `orrery check` and manifests follow from this table.
// model/compute/models.cc reads them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/time_source_table.h"
#include "orrery/platform/kernel_files.h"

namespace orrery::platform {

/// The paths in a cluster file's `device` section.
using KernelFileKeys = KernelFilesOf<std::optional<std::string>>;

struct KernelFileEntry {
  TimeSource source;  ///< of the times that it gives
  std::string KernelFiles::*path;
  std::optional<std::string> KernelFileKeys::*key_path;
  std::string_view key;           ///< in cluster files, questions and (with "_hash") manifests
  std::string_view option;        ///< of commands
  std::string_view about_key;     ///< for the reference of cluster files
  std::string_view about_option;  ///< for help
  std::string_view example;       ///< one of the project, from its folder; tests read it
  std::string_view label;         ///< "kernel table"
  std::string_view what;          ///< "table", in errors
  std::string_view content;       ///< "a file of measured kernels"
  /// Whether `auto` asks it, and thus recorded times are not needed.
  bool asked_by_auto;
  /// Whether it is read for this choice; otherwise the file is reported as without effect.
  bool (*is_read_for)(TimeSource choice);
};

/// In the order in which `auto` asks them.
inline constexpr std::array kKernelFileTable = {
    KernelFileEntry{
        TimeSource::table, &KernelFiles::kernel_table, &KernelFileKeys::kernel_table,
        "kernel_table", "--kernel-table",
        "a file of measured kernels, its path from this file's folder; `auto` and `table` take "
        "them first",
        "Measured kernels, which `auto` and `table` take first (docs/kernel-times.md)",
        "examples/kernels/made-up.csv", "kernel table", "table", "a file of measured kernels", true,
        [](TimeSource choice) {
          return choice == TimeSource::automatic || choice == TimeSource::table ||
                 choice == TimeSource::systolic;
        }},
    KernelFileEntry{
        TimeSource::fitted, &KernelFiles::kernel_model, &KernelFileKeys::kernel_model,
        "kernel_model", "--kernel-model",
        "a file that `orrery kernels fit` wrote, likewise; `auto` asks it after the table",
        "A model that 'orrery kernels fit' wrote, which `auto` asks after the table",
        "data/kernels/learned.txt", "kernel model", "fitted model",
        "a file that 'orrery kernels fit' wrote", true,
        [](TimeSource choice) {
          return choice != TimeSource::recorded && choice != TimeSource::roofline;
        }},
    KernelFileEntry{
        TimeSource::systolic, &KernelFiles::systolic, &KernelFileKeys::systolic, "systolic",
        "--systolic",
        "for `compute: systolic`: SCALE-Sim's configuration of an array, its path from this "
        "file's folder; it runs at the device's clock",
        "For `--compute systolic`: an array, as SCALE-Sim's configuration",
        "examples/kernels/array.cfg", "systolic array", "systolic array",
        "SCALE-Sim's configuration of one", false,
        [](TimeSource choice) { return choice == TimeSource::systolic; }}};
static_assert(sizeof(KernelFiles) == kKernelFileTable.size() * sizeof(std::string),
              "every file has a row");

/// The row whose model is `source`, or null: that model needs no file.
constexpr const KernelFileEntry* kernel_file_of(TimeSource source) {
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.source == source) return &row;
  return nullptr;
}

/// Whether `auto` has a file to ask.
inline bool has_file_for_auto(const KernelFiles& files) {
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.asked_by_auto && !(files.*row.path).empty()) return true;
  return false;
}

}  // namespace orrery::platform
