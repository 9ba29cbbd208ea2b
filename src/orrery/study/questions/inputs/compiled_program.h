// SPDX-License-Identifier: Apache-2.0
//
// Files of compiled programs (StableHLO, HLO) as the workload of a question.
#pragma once

#include <cstdint>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/hlo/program/program.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::study {

/// The form of a file, compressed or not, by its first bytes. `none` if it cannot be read.
[[nodiscard]] hlo::TextForm program_form(const std::string& path);

/// Reads a program. Errc: as hlo::read_program; input_not_found, input_read; limit_exceeded for
/// files of more than 1 GiB.
[[nodiscard]] Result<hlo::Program> read_program_file(const std::string& path, Findings& findings);

/// Errc: config_conflict unless the program is for so many devices.
[[nodiscard]] Result<void> check_program_size(const hlo::Program& program, const std::string& path,
                                              std::int64_t devices);

/// The program as a workload of `ranks` devices (0: as many as it states). Errc: as
/// read_program_file and hlo::to_workload; config_conflict for another number of devices.
[[nodiscard]] Result<graph::Workload> load_program(const std::string& path, std::uint32_t ranks);

}  // namespace orrery::study
