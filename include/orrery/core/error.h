// SPDX-License-Identifier: Apache-2.0
//
// Expected failures are values that state what is wrong, where, and what the user can do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace orrery {

/// Stable error codes. The thousands determine the exit code: 1xxx usage and configuration (2),
/// 2xxx input files (3), 3xxx simulation (4), 4xxx limits (5), 5xxx cancelled (130), 6xxx defects
/// (70).
enum class Errc : std::uint16_t {
  // Usage and configuration
  usage = 1000,             ///< invalid options or arguments
  config_not_found = 1001,  ///< a configuration file does not exist or cannot be read
  config_syntax = 1002,     ///< not YAML or JSON
  config_unknown_key = 1003,
  config_missing_key = 1004,
  config_type = 1005,      ///< a value of the wrong type
  config_range = 1006,     ///< a value out of range
  config_unit = 1007,      ///< a number whose unit is missing or unknown
  config_conflict = 1008,  ///< two settings, or a setting and the workload, contradict each other
  output_exists = 1009,    ///< an output file exists and may not be overwritten
  output_failed = 1010,    ///< an output file could not be written
  // Input files
  input_not_found = 2000,
  input_read = 2001,         ///< read error, broken compression
  input_truncated = 2002,    ///< the file ends inside a record
  input_corrupt = 2003,      ///< bytes that the format does not allow
  input_unsupported = 2004,  ///< a format or version that this program cannot read
  input_duplicate_id = 2005,
  input_dangling_dep = 2006,
  input_self_edge = 2007,
  input_cycle = 2008,
  input_range = 2009,  ///< a number that is too large, negative or not finite where this is invalid
  input_missing_attr = 2010,  ///< a node lacks an attribute that its kind requires
  input_empty = 2011,
  input_group = 2012,     ///< unknown or contradictory process group
  input_unlinked = 2013,  ///< two traces of one rank cannot be linked to each other
  input_mismatch = 2014,  ///< ranks contradict each other
  // Simulation
  stall = 3000,  ///< deadlock: the run cannot finish
  // Limits
  limit_exceeded = 4000,
  // The end of a call
  cancelled = 5000,  ///< by the program that called the library
  defect = 6000,     ///< an error of Orrery itself
};

/// Why an operation failed.
struct Error {
  Errc code;
  std::string where;   ///< "w.3.et:byte 18231" or "cluster.yaml:/network/0/bandwidth"
  std::string what;    ///< one sentence
  std::string hint{};  ///< what the user can do; may be empty
};

/// "where: what (E2002)
///   hint: …", without a trailing newline.
[[nodiscard]] std::string to_string(const Error& error);

/// The stable name of the code: "input_truncated".
[[nodiscard]] std::string_view name(Errc code);

/// The exit code of the process for an error: 2 usage and configuration, 3 input, 4 stall, 5 limit,
/// 130 cancelled, 70 defect.
[[nodiscard]] int exit_code(Errc code);

template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(Errc::usage, "--ranks", "must be positive");`
[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string where, std::string what,
                                                std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(where), std::move(what), std::move(hint)});
}

}  // namespace orrery
