// SPDX-License-Identifier: Apache-2.0
//
// What generated programs share: their options and what they read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor.h"

namespace orrery::replay {

struct CommandLine {
  PlayOptions play;
  std::string file;  ///< empty: the program's own
  /// Other options with a value, in the order of `named`; empty: not given.
  std::vector<std::string> values;
  bool order = false;  ///< --order
};

/// --iterations, --warm-up, --threads, --order, options of `named` ("--csv"), which take a value,
/// and a file. Nothing where it cannot be understood.
[[nodiscard]] bool read_command_line(int argc, char** argv,
                                     const std::vector<std::string_view>& named, CommandLine& line);

/// Throws std::runtime_error.
[[nodiscard]] std::string read_file(const std::string& path);

/// The number below which the share of all lies, by nearest rank; 0 of nothing.
[[nodiscard]] std::int64_t at_share(std::vector<std::int64_t> numbers, double share);

}  // namespace orrery::replay
