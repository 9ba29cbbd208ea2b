// SPDX-License-Identifier: Apache-2.0
//
// What LLaMA-Factory's and axolotl's files share. Private to this folder.
#pragma once

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {

/// Adapters of a fine-tuning job.
struct Adapters {
  std::int64_t rank = 0;
  config::Json modules{};  ///< names, or "all-linear"
};
/// Adds them through PEFT's importer. Errc: as that one's.
[[nodiscard]] Result<void> add_adapters(Spec& spec, const Adapters& adapters,
                                        const std::string& place, Findings& findings);

/// Reads DeepSpeed's configuration that a job names, from its folder upwards; a finding
/// (key_ignored) if the file is not there. Keeps the batch of the job.
[[nodiscard]] Result<void> read_deepspeed_file(Spec& spec, const config::Json& value,
                                               const std::string& place, const std::string& where,
                                               Findings& findings);

}  // namespace orrery::workload
