// SPDX-License-Identifier: Apache-2.0
//
// Perfetto traces (.pftrace) as PyTorch's profiler writes them.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::trace::pftrace {

/// Reads a whole trace: what its JSON form would say, by the same rules. Kinds of events come from
/// their categories, or from their arguments and the tracks they are on. Packets of other kinds are
/// counted (Profile::account); damaged files are read as far as they are whole. The result is
/// indexed. Errc: input_corrupt (no trace), input_empty (no event), limit_exceeded. Linear; memory
/// for the profile, 48 bytes per event, and one packet.
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const kineto::ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::pftrace
