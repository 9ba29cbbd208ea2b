// SPDX-License-Identifier: Apache-2.0
//
// Finds the thread or stream of a record, and the names of threads and streams.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::trace::kineto {

class Lanes {
 public:
  explicit Lanes(profile::Profile& profile) : profile_(profile) {}

  /// The lane of a record with these raw "pid" and "tid": numbers, or strings like "stream 7".
  std::uint32_t host(std::string_view process, std::string_view thread);
  /// The lane of device work: `device` and `stream` of its arguments, or "pid" and "tid".
  std::uint32_t device(std::string_view device, std::string_view stream, std::string_view process,
                       std::string_view thread);
  /// "pid" and "tid" as numbers.
  std::pair<std::int64_t, std::int64_t> display_lane(std::string_view process,
                                                     std::string_view thread) {
    return {number(process), number(thread)};
  }
  /// Adds the name from a metadata record: "thread_name" or "process_name".
  void name(std::string_view what, std::string_view process, std::string_view thread,
            std::string_view name);
  /// Sets the names of all lanes.
  void finish();

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  struct Slot {
    std::int64_t process = 0, id = 0;
    std::uint32_t lane = profile::kNone;
    bool device = false;
  };

  std::int64_t number(std::string_view raw);
  std::uint32_t lane(bool device, std::int64_t process, std::int64_t id, Key key);

  profile::Profile& profile_;
  std::array<Slot, 64> recent_{};
  // Numbers assigned to texts that are not numbers.
  std::unordered_map<std::string, std::int64_t> text_numbers_;
  std::vector<Key> keys_;  // by lane: (pid, tid) of the file
  std::map<Key, std::string> thread_names_;
  std::map<std::int64_t, std::string> process_names_;
  std::string last_name_;
  Key last_key_{};
};

}  // namespace orrery::trace::kineto
