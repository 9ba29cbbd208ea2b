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

/// Reads what both files have: the model that `model_key` names, DeepSpeed's configuration (inline,
/// or a file from the folder of `where` upwards; a finding key_ignored if it is not there), then
/// the keys of the table, whose batch stays. Errc: as those of the three.
[[nodiscard]] Result<void> read_fine_tuning(Spec& spec, const config::Json& file,
                                            std::string_view model_key, const KnownKeys& keys,
                                            const std::string& where, Findings& findings);

/// Reads DeepSpeed's configuration alone: `value` is an object or a path.
[[nodiscard]] Result<void> read_deepspeed_file(Spec& spec, const config::Json& value,
                                               const std::string& place, const std::string& where,
                                               Findings& findings);

}  // namespace orrery::workload
