// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets of program texts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/hlo/lower/program_count.h"
#include "orrery/hlo/lower/to_workload.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::hlo::testing {

using Reader = Result<Program> (*)(std::string_view, const std::string&, Findings&);

/// Reads bytes as a program, and checks the error, or counts and converts it.
inline int read_any(Reader reader, const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Findings findings;
  const auto read = reader(text, "fuzz", findings);
  if (!read) {
    ORRERY_CHECK(!read.error().where.empty() && !read.error().what.empty());
    return 0;
  }
  // What a stated number of devices or rounds asks for is large, not wrong.
  if (read->devices() > 64) return 0;
  for (const Computation& computation : read->computations)
    for (const Instruction& op : computation.operations)
      if (op.opcode->op_class == OpClass::loop) return 0;
  const auto counted = count_program(*read, "fuzz", findings);
  ORRERY_CHECK(counted || !counted.error().what.empty());
  const auto workload = to_workload(*read, "fuzz", findings);
  ORRERY_CHECK(workload || !workload.error().what.empty());
  return 0;
}

}  // namespace orrery::hlo::testing
