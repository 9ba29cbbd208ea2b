// SPDX-License-Identifier: Apache-2.0
//
// The sources of times, declared once: names, and sentences for results. `--compute`, cluster
// files, run files, `explain` and summaries follow from this table.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "orrery/core/time_source.h"

namespace orrery {

/// What a source gives times for.
enum class TimeSourceOf : std::uint8_t { any_work, kernels, messages, memory };

struct TimeSourceEntry {
  TimeSource source;
  std::string_view name;
  TimeSourceOf of;
  std::string_view summary;      ///< of a run whose compute nodes have it; {}: the device
  std::string_view explanation;  ///< of one node's length; {}: the device
};

/// In the order in which help lists them.
inline constexpr std::array kTimeSourceTable = {
    TimeSourceEntry{TimeSource::automatic, "auto", TimeSourceOf::kernels,
                    "recorded durations, else predicted kernels on {}", ""},
    TimeSourceEntry{TimeSource::recorded, "recorded", TimeSourceOf::any_work, "recorded durations",
                    "The length is the trace's: the duration that was recorded."},
    TimeSourceEntry{TimeSource::roofline, "roofline", TimeSourceOf::kernels, "roofline on {}",
                    "The length comes from the roofline of {}: operations at peak or bytes at "
                    "memory bandwidth, whichever takes longer."},
    TimeSourceEntry{TimeSource::heuristic, "heuristic", TimeSourceOf::kernels,
                    "heuristic kernels on {}",
                    "The length comes from a rule for kernels on {}: tiles in waves over its "
                    "processors, and bytes at the bandwidth that transfers of that size achieve."},
    TimeSourceEntry{TimeSource::learned, "learned", TimeSourceOf::kernels, "learned kernels on {}",
                    "The length comes from a model fitted to public measurements, for {}."},
    TimeSourceEntry{TimeSource::table, "table", TimeSourceOf::kernels, "measured kernels on {}",
                    "The length lies between kernels that were measured on {}."},
    TimeSourceEntry{TimeSource::fitted, "fitted", TimeSourceOf::kernels,
                    "kernels of a fitted model on {}",
                    "The length comes from a model of your own, fitted to kernels measured on {}."},
    TimeSourceEntry{TimeSource::systolic, "systolic", TimeSourceOf::kernels,
                    "a systolic array at {}'s clock, else as auto",
                    "The length is counted in cycles of the systolic array of {}."},
    TimeSourceEntry{TimeSource::memory, "memory", TimeSourceOf::memory, "",
                    "The length comes from the memory model: latency and bytes at bandwidth."},
    TimeSourceEntry{TimeSource::analytical, "analytical", TimeSourceOf::messages, "",
                    "The length comes from the analytical network model: latency and bytes at "
                    "bandwidth, links without contention."},
    TimeSourceEntry{TimeSource::message, "message", TimeSourceOf::messages, "",
                    "The length comes from the message-level network model: messages share links."},
    TimeSourceEntry{TimeSource::flow, "flow", TimeSourceOf::messages, "",
                    "The length comes from the flow-level network model: messages share links "
                    "fairly, as fluids do."},
    TimeSourceEntry{TimeSource::none, "none", TimeSourceOf::any_work, "",
                    "No model made it: it takes no time of its own."}};
static_assert(kTimeSourceTable.size() == kTimeSources + 1);

/// The row of a source.
constexpr const TimeSourceEntry& entry(TimeSource source) {
  return *std::find_if(kTimeSourceTable.begin(), kTimeSourceTable.end(),
                       [&](const TimeSourceEntry& row) { return row.source == source; });
}

/// Whether a cluster file or `--compute` may ask for it.
constexpr bool is_compute_choice(const TimeSourceEntry& row) {
  return row.of == TimeSourceOf::kernels || row.source == TimeSource::recorded;
}

}  // namespace orrery
