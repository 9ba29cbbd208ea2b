// SPDX-License-Identifier: Apache-2.0
//
// Reads Perfetto traces (.pftrace) as PyTorch's profiler writes them.
#pragma once

#include <memory>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/trace/kineto/reader.h"

namespace orrery::trace::pftrace {

/// Reads a complete trace, by the rules of its JSON form. Kinds of events come from their
/// categories, or from their arguments and tracks. Packets of other kinds are counted
/// (Profile::account). Of damaged files it reads the intact parts. The result is indexed. Errc:
/// input_corrupt (no trace), input_empty (no event), limit_exceeded. Linear time; memory for the
/// profile, 48 bytes per event, and one packet.
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const kineto::ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::pftrace
