// SPDX-License-Identifier: Apache-2.0
//
// Parts of the reader of Megatron's arguments. Private to this folder.
#pragma once

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

/// Reads plan, schedule, precision, recomputation and batch; `spec.model` must be set. Missing
/// arguments keep the values of `spec`. Errc: config_*.
[[nodiscard]] Result<void> read_megatron_plan(config::KeyReader& keys, const config::Json& file,
                                              const std::string& where, Spec& spec,
                                              Findings& findings);

/// Reports arguments that change the workload and are not modeled (finding key_without_effect).
/// Marks those as read that do not affect it.
void read_megatron_other_arguments(config::KeyReader& keys, const config::Json& file,
                                   Findings& findings);

/// Merges sections of a YAML file into one object; later sections override earlier ones. Replaces
/// "${.key}" by the value it refers to.
[[nodiscard]] config::Json flat_sections(const config::Json& file,
                                         std::initializer_list<const char*> sections);

}  // namespace orrery::workload
