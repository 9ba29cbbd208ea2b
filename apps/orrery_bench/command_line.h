// SPDX-License-Identifier: Apache-2.0
//
// Options and input of generated programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor.h"

namespace orrery::bench {

struct CommandLine {
  ReplayOptions options;
  std::string file;  ///< empty: the built-in one
  /// Other options with a value, in the order of `named`; empty: not given.
  std::vector<std::string> values;
  bool order = false;  ///< --order
};

/// Parses --iterations, --warm-up, --threads, --order, the options in `named` ("--csv"), which have
/// a value, and a file. Empty if the command line is invalid.
[[nodiscard]] bool read_command_line(int argc, char** argv,
                                     const std::vector<std::string_view>& named, CommandLine& line);

/// Throws std::runtime_error on failure.
[[nodiscard]] std::string read_file(const std::string& path);

/// The quantile `share` by nearest rank; 0 if there are no numbers.
[[nodiscard]] std::int64_t quantile(std::vector<std::int64_t> numbers, double share);

}  // namespace orrery::bench
