// SPDX-License-Identifier: Apache-2.0
//
// A PyTorch profiler trace (Kineto JSON) of one rank as a run with recorded times: just enough of
// it to compare our critical path with the one that HTA drew into the same trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::hta {

/// One "X" event on a CPU thread or a stream of the device; microseconds.
struct Event {
  std::string category, name;
  std::int64_t thread = 0;  ///< of the host, or the stream
  std::int64_t start = 0, end = 0;
  std::int64_t correlation = -1;
  bool marked = false;  ///< args.critical == 1

  [[nodiscard]] bool on_device() const {
    return category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
  }
};

struct Trace {
  std::vector<Event> events;                         ///< by start, the longer first
  std::map<std::int64_t, std::int64_t> sync_stream;  ///< of sync calls by correlation; -1: all
};

/// Reads a gzipped trace; empty when it is not there.
[[nodiscard]] Trace read_trace(const std::string& path);

struct RecordedRun {
  result::Run run;
  std::vector<std::vector<std::uint32_t>> spans_of;  ///< by event
};

/// Spans: an operator is cut where others run inside it, so that the pieces of a thread follow each
/// other; a launch lasts from the start of its call to the start of its kernel; a synchronizing
/// call is cut where the device is done. What let a span start: on a thread the piece before; for a
/// kernel the one before it in its stream when that still ran at the launch, else the launch; for
/// the rest of a synchronizing call the last kernel it waited for.
[[nodiscard]] RecordedRun make_run(const Trace& trace);

}  // namespace orrery::hta
