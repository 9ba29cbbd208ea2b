// SPDX-License-Identifier: Apache-2.0
//
// A reader of Perfetto traces for tests. libprotobuf takes the bytes apart; what they mean is put
// together as Perfetto's trace processor does it (events sorted by time, stable; begins and ends
// paired per track; flows by id), but nothing is forgiven.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orrery::oracle {

using ArgValue = std::variant<bool, std::int64_t, double, std::string>;

struct Slice {
  std::string process;  ///< "rank 0", "Cluster"
  std::string track;    ///< "lanes/compute"
  std::string name;
  std::string category;
  std::uint64_t start = 0;  ///< ns
  std::uint64_t end = 0;
  std::size_t depth = 0;  ///< 0: in no other slice
  std::uint64_t correlation = 0;
  std::map<std::string, ArgValue> args;

  [[nodiscard]] std::int64_t integer(const std::string& arg) const {
    const auto found = args.find(arg);
    return found == args.end() ? 0 : std::get<std::int64_t>(found->second);
  }
  [[nodiscard]] std::string text(const std::string& arg) const {
    const auto found = args.find(arg);
    return found == args.end() ? std::string() : std::get<std::string>(found->second);
  }
};

/// An arrow between slices, by their numbers in View::slices.
struct Flow {
  std::uint64_t id = 0;
  std::size_t from = 0, to = 0;
};

struct Counter {
  std::string process;
  std::string name;
  std::vector<std::pair<std::uint64_t, std::int64_t>> points;
};

struct View {
  std::vector<std::string> problems;  ///< empty: the trace is as it should be
  std::vector<Slice> slices;          ///< by beginning
  std::vector<Flow> flows;
  std::vector<Counter> counters;
  std::map<std::string, std::int32_t> pids;       ///< by process name
  std::map<std::string, std::int32_t> positions;  ///< by "process/track"
  std::map<std::string, std::uint64_t> uuids;     ///< by "process/track"
};

[[nodiscard]] View view(std::string_view bytes);

}  // namespace orrery::oracle
