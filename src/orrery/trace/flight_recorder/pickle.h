// SPDX-License-Identifier: Apache-2.0
//
// Reads Python pickles that contain only plain values. It never runs code: a pickle that builds an
// object or calls a function is refused.
#pragma once

#include <memory>
#include <string>

#include "orrery/trace/flight_recorder/values.h"

namespace orrery::trace::flight_recorder {

/// The values of a pickle of protocol 2 to 5. Tuples become lists, bytes become texts. Errc:
/// input_truncated (it ends before its STOP), input_corrupt, input_unsupported (objects, calls, and
/// opcodes that pickles of plain values do not have), limit_exceeded. The place is "WHERE:byte N".
/// O(bytes).
///
/// Source of the opcodes: Lib/pickletools.py of CPython 3.11.
[[nodiscard]] Result<std::unique_ptr<Values>> read_pickle(std::string bytes,
                                                          const std::string& where);

/// The values of a JSON text. Errc: input_corrupt, input_truncated, limit_exceeded.
[[nodiscard]] Result<std::unique_ptr<Values>> read_json(std::string text, const std::string& where);

}  // namespace orrery::trace::flight_recorder
