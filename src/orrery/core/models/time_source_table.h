// SPDX-License-Identifier: Apache-2.0
//
// The sources of times and the files that they need. `--compute`, cluster files, run files,
// questions, manifests, `check`, `explain` and summaries derive from these tables;
// model/compute/kernel_models.cc creates the models of kernel times.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/models/network_names.h"
#include "orrery/core/time_source.h"

namespace orrery {

/// The kind of work that a source provides times for.
enum class TimedWork : std::uint8_t { any_work, kernels, messages, memory };

struct TimeSourceEntry {
  TimeSource source = TimeSource::none;
  std::string_view name;
  TimedWork of = TimedWork::any_work;
  std::string_view summary;      ///< if compute nodes of a run use it; {}: the device
  std::string_view explanation;  ///< of the duration of one node; {}: the device
};

/// All except the network models.
inline constexpr std::array kModelTimeSources = {
    TimeSourceEntry{TimeSource::automatic, "auto", TimedWork::kernels,
                    "recorded durations, else predicted kernels on {}", ""},
    TimeSourceEntry{TimeSource::recorded, "recorded", TimedWork::any_work, "recorded durations",
                    "The duration is the recorded duration of the trace."},
    TimeSourceEntry{TimeSource::roofline, "roofline", TimedWork::kernels, "roofline on {}",
                    "The duration comes from the roofline of {}: operations at peak or bytes at "
                    "memory bandwidth, whichever is longer."},
    TimeSourceEntry{
        TimeSource::heuristic, "heuristic", TimedWork::kernels, "heuristic kernels on {}",
        "The duration comes from a heuristic for kernels on {}: tiles in waves over its "
        "processors, and bytes at the bandwidth that transfers of that size achieve."},
    TimeSourceEntry{TimeSource::learned, "learned", TimedWork::kernels, "learned kernels on {}",
                    "The duration comes from a model fitted to public measurements, for {}."},
    TimeSourceEntry{TimeSource::table, "table", TimedWork::kernels, "measured kernels on {}",
                    "The duration is interpolated between kernels measured on {}."},
    TimeSourceEntry{
        TimeSource::fitted, "fitted", TimedWork::kernels, "kernels from a fitted model on {}",
        "The duration comes from your fitted model, trained on kernels measured on {}."},
    TimeSourceEntry{TimeSource::systolic, "systolic", TimedWork::kernels,
                    "a systolic array at {}'s clock, else as auto",
                    "The duration is counted in cycles of the systolic array of {}."},
    TimeSourceEntry{TimeSource::memory, "memory", TimedWork::memory, "",
                    "The duration comes from the memory model: latency and bytes at bandwidth."},
    TimeSourceEntry{TimeSource::callable, "callable", TimedWork::any_work, "",
                    "The duration comes from a function of the calling program."},
    TimeSourceEntry{TimeSource::none, "none", TimedWork::any_work, "",
                    "No model applies: the duration is 0."}};
/// All sources in the order of help. Those of network models are declared in
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

/// Whether a cluster file or `--compute` may select it.
constexpr bool is_compute_choice(const TimeSourceEntry& row) {
  return row.of == TimedWork::kernels || row.source == TimeSource::recorded;
}

/// The paths as optional keys of a cluster file's `device` section.
using KernelFileKeys = KernelFilesOf<std::optional<std::string>>;

struct KernelFileEntry {
  TimeSource source;  ///< of the times that the file provides
  std::string KernelFiles::*path;
  std::optional<std::string> KernelFileKeys::*key_path;
  std::string_view key;           ///< in cluster files, questions and (with "_hash") manifests
  std::string_view option;        ///< of commands
  std::string_view about_key;     ///< for the reference of cluster files
  std::string_view about_option;  ///< for help
  std::string_view example;  ///< path of an example, from the root of the repository; tests read it
  std::string_view label;    ///< "kernel table"
  std::string_view what;     ///< "table", in errors
  std::string_view content;  ///< "a file of measured kernels"
  /// Whether `auto` uses the file, so that no recorded times are needed.
  bool is_used_by_auto;
  /// Whether this choice reads the file; otherwise a finding reports that it has no effect.
  bool (*is_read_for)(TimeSource choice);
};

/// In the order in which `auto` uses them.
inline constexpr std::array kKernelFileTable = {
    KernelFileEntry{
        TimeSource::table, &KernelFiles::kernel_table, &KernelFileKeys::kernel_table,
        "kernel_table", "--kernel-table",
        "a file of measured kernels, path relative to this file; `auto` and `table` use it first",
        "Measured kernels, which `auto` and `table` use first (docs/kernel-times.md)",
        "examples/kernels/made-up.csv", "kernel table", "table", "a file of measured kernels", true,
        [](TimeSource choice) {
          return choice == TimeSource::automatic || choice == TimeSource::table ||
                 choice == TimeSource::systolic;
        }},
    KernelFileEntry{TimeSource::fitted, &KernelFiles::kernel_model, &KernelFileKeys::kernel_model,
                    "kernel_model", "--kernel-model",
                    "a file written by `orrery kernels fit`, path relative to this file; `auto` "
                    "uses it after the table",
                    "A model written by 'orrery kernels fit', which `auto` uses after the table",
                    "data/kernels/learned.txt", "kernel model", "fitted model",
                    "a file written by 'orrery kernels fit'", true,
                    [](TimeSource choice) {
                      return choice != TimeSource::recorded && choice != TimeSource::roofline;
                    }},
    KernelFileEntry{TimeSource::systolic, &KernelFiles::systolic, &KernelFileKeys::systolic,
                    "systolic", "--systolic",
                    "for `compute: systolic`: a SCALE-Sim configuration of an array, path relative "
                    "to this file; it runs at the device's clock",
                    "For `--compute systolic`: a SCALE-Sim configuration of an array",
                    "examples/kernels/array.cfg", "systolic array", "systolic array",
                    "a SCALE-Sim configuration file", false,
                    [](TimeSource choice) { return choice == TimeSource::systolic; }}};
static_assert(sizeof(KernelFiles) == kKernelFileTable.size() * sizeof(std::string),
              "every file has a row");

/// The row of the file that `source` reads, or null if it needs no file.
constexpr const KernelFileEntry* kernel_file_of(TimeSource source) {
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.source == source) return &row;
  return nullptr;
}

/// Whether at least one file that `auto` uses is given.
inline bool has_file_for_auto(const KernelFiles& files) {
  for (const KernelFileEntry& row : kKernelFileTable)
    if (row.is_used_by_auto && !(files.*row.path).empty()) return true;
  return false;
}

}  // namespace orrery
