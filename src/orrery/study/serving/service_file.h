// SPDX-License-Identifier: Apache-2.0
//
// A served stream as an SQLite database: a row for each request and for each step.
#pragma once

#include <string>

#include "orrery/core/error.h"
#include "orrery/result/run_file/table_schema.h"
#include "orrery/study/serving/infer.h"

namespace orrery::study {

/// PRAGMA application_id of the file ("OrrS"), and PRAGMA user_version.
inline constexpr std::uint32_t kServiceFileId = 0x4f727253, kServiceFileVersion = 1;

/// The tables `request` and `step`. The first column of each is `id`; that of a request is its
/// number in the stream. Times are picoseconds from the first arrival; `instance` counts from 0.
[[nodiscard]] const std::vector<result::Table>& service_tables();

/// Writes the file. Equal runs give equal bytes. Errc: output_exists unless `force`, output_failed.
[[nodiscard]] Result<void> write_service_file(const Inference& made, const std::string& path,
                                              bool force);

}  // namespace orrery::study
