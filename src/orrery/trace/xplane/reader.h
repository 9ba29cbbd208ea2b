// SPDX-License-Identifier: Apache-2.0
//
// Reads XPlane files (*.xplane.pb) of XLA's profiler, which JAX and TensorFlow write.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::xplane {

struct ReadOptions {
  std::string where;                    ///< name of the file
  std::shared_ptr<StringPool> strings;  ///< must be set
  /// Reads only this device, one of `devices_in`, and the host. Empty: all devices.
  std::optional<std::int64_t> device = std::nullopt;
  /// Number of the device in the device assignment of programs, which has the groups of
  /// collectives. Empty: its number in the file.
  std::optional<std::uint32_t> rank = std::nullopt;
};

/// Opens the file at its beginning. The names of events follow the events, so the file is read
/// twice.
using OpenSource = std::function<Result<std::unique_ptr<ByteSource>>()>;

/// Reads the planes of hosts and devices:
/// - streams of GPUs and the lines "XLA Ops" and "Async XLA Ops" of TPUs become device work. Of
///   operations that contain others (loops, calls), only the inner ones are work.
/// - launches join their work by `correlation_id`;
/// - an HLO operation (`hlo_op`, `program_id`) becomes Work::captured, with the shapes of its
///   operands, its FLOPs and its bytes if the file contains the program's HLO proto; collectives
///   get their bytes and groups;
/// - threads of the host become calls of the runtime, Python frames and annotations. A step
///   annotation (`step_num`) becomes "ProfilerStep#N", which is how profiles name iterations.
/// Lines that the profiler derives from others, and events without a duration, are counted and left
/// out. Launches of command buffers whose works have no operation are counted (capture_unmatched).
/// Events of other devices do not count. The result is indexed. Memory: the profile, the programs
/// and the names; not the file. Errc: input_corrupt, input_truncated, input_read, input_empty,
/// limit_exceeded. O(file + events log events).
[[nodiscard]] Result<profile::Profile> read(const OpenSource& open, const ReadOptions& options,
                                            Findings& findings);

/// The devices with recorded work, ascending. Errc: as read. O(bytes before the names).
[[nodiscard]] Result<std::vector<std::int64_t>> devices_in(const OpenSource& open,
                                                           const std::string& where);

}  // namespace orrery::trace::xplane
