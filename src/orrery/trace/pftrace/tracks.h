// SPDX-License-Identifier: Apache-2.0
//
// Which process and thread a track stands for. Devices are processes, and their streams threads.
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
  bool device = false;    ///< of a GPU
  bool overhead = false;  ///< of the profiler itself
};

class Tracks {
 public:
  /// Takes a descriptor. Throws protozero's exceptions.
  const Track& add(std::string_view descriptor);
  /// One that was never described is a thread of its own.
  [[nodiscard]] const Track& find(std::uint64_t uuid);

 private:
  std::unordered_map<std::uint64_t, Track> by_uuid_;
};

}  // namespace orrery::trace::pftrace
