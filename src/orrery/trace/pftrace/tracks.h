// SPDX-License-Identifier: Apache-2.0
//
// Finds the process and thread of a track. Devices are processes, and their streams are threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace orrery::trace::pftrace {

struct Track {
  std::string process, thread;  ///< numbers
  std::string name;
  bool is_process = false;
  bool is_device = false;    ///< of a GPU
  bool is_overhead = false;  ///< of the profiler itself
};

class Tracks {
 public:
  /// Adds a descriptor. Throws protozero's exceptions.
  const Track& add(std::string_view descriptor);
  /// The track with this id. A track without a descriptor is a separate thread.
  [[nodiscard]] const Track& find(std::uint64_t uuid);

 private:
  std::unordered_map<std::uint64_t, Track> by_uuid_;
};

}  // namespace orrery::trace::pftrace
