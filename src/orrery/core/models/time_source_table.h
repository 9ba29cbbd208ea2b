// SPDX-License-Identifier: Apache-2.0
//
// The sources of times and the files that they need, declared once. `--compute`, cluster files, run
// files, questions, manifests, `check`, `explain` and summaries follow from these tables;
// model/compute/kernel_models.cc makes the models of kernel times.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/models/network_names.h"
#include "orrery/core/time_source.h"

namespace orrery {

/// What a source gives times for.
enum class TimedWork : std::uint8_t { any_work, kernels, messages, memory };

struct TimeSourceEntry {
  TimeSource source = TimeSource::none;
  std::string_view name;
  TimedWork of = TimedWork::any_work;
  std::string_view summary;      ///< of a run whose compute nodes have it; {}: the device
  std::string_view explanation;  ///< of one node's length; {}: the device
};

/// But for network models.
inline constexpr std::array kModelTimeSources = {
    TimeSourceEntry{TimeSource::automatic, "auto", TimedWork::kernels,
                    "recorded durations, else predicted kernels on {}", ""},
    TimeSourceEntry{TimeSource::recorded, "recorded", TimedWork::any_work, "recorded durations",
                    "The length is the trace's: the duration that was recorded."},
    TimeSourceEntry{TimeSource::roofline, "roofline", TimedWork::kernels, "roofline on {}",
                    "The length comes from the roofline of {}: operations at peak or bytes at "
                    "memory bandwidth, whichever takes longer."},
    TimeSourceEntry{TimeSource::heuristic, "heuristic", TimedWork::kernels,
                    "heuristic kernels on {}",
                    "The length comes from a rule for kernels on {}: tiles in waves over its "
                    "processors, and bytes at the bandwidth that transfers of that size achieve."},
    TimeSourceEntry{TimeSource::learned, "learned", TimedWork::kernels, "learned kernels on {}",
                    "The length comes from a model fitted to public measurements, for {}."},
    TimeSourceEntry{TimeSource::table, "table", TimedWork::kernels, "measured kernels on {}",
                    "The length lies between kernels that were measured on {}."},
    TimeSourceEntry{TimeSource::fitted, "fitted", TimedWork::kernels,
                    "kernels of a fitted model on {}",
                    "The length comes from a model of your own, fitted to kernels measured on {}."},
    TimeSourceEntry{TimeSource::systolic, "systolic", TimedWork::kernels,
                    "a systolic array at {}'s clock, else as auto",
                    "The length is counted in cycles of the systolic array of {}."},
    TimeSourceEntry{TimeSource::memory, "memory", TimedWork::memory, "",
                    "The length comes from the memory model: latency and bytes at bandwidth."},
    TimeSourceEntry{TimeSource::none, "none", TimedWork::any_work, "",
                    "No model made it: it takes no time of its own."}};
/// All, in the order in which help lists them; network models have theirs in
/// core/models/network_names.h.
inline constexpr auto kTimeSourceTable = [] {
  std::array<TimeSourceEntry, kModelTimeSources.size() + kNetworkModels.size()> all{};
  auto next = std::copy(kModelTimeSources.begin(), kModelTimeSources.end(), all.begin());
  for (const NetworkModelEntry& network : kNetworkModels)
    *next++ = {network.source, network.name, TimedWork::messages, "", network.explanation};
  return all;
}();
static_assert(kTimeSourceTable.size() == kTimeSources + 1);

/// The row of a source.
constexpr const TimeSourceEntry& entry(TimeSource source) {
  return *std::find_if(kTimeSourceTable.begin(), kTimeSourceTable.end(),
                       [&](const TimeSourceEntry& row) { return row.source == source; });
}

/// Whether a cluster file or `--compute` may ask for it.
constexpr bool is_compute_choice(const TimeSourceEntry& row) {
  return row.of == TimedWork::kernels || row.source == TimeSource::recorded;
}

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
  bool is_used_by_auto;
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
    if (row.is_used_by_auto && !(files.*row.path).empty()) return true;
  return false;
}

}  // namespace orrery
