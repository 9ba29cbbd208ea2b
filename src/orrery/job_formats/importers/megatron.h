// SPDX-License-Identifier: Apache-2.0
//
// Pieces of reading Megatron's arguments. Private to this room.
#pragma once

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

/// Plan, schedule, precision, recomputation and batch; `spec.model` is there already. What is not
/// given stays as it is in `spec`. Errc: config_*.
[[nodiscard]] Result<void> read_megatron_plan(config::KeyReader& keys, const config::Json& file,
                                              const std::string& where, Spec& spec,
                                              Findings& findings);

/// Counts what changes the work and is not modelled (option_not_modelled), and asks for what
/// changes nothing.
void read_megatron_other_arguments(config::KeyReader& keys, const config::Json& file,
                                   Findings& findings);

/// Sections of a YAML file in one object, later ones first; "${.key}" is what it refers to.
[[nodiscard]] config::Json flat_sections(const config::Json& file,
                                         std::initializer_list<const char*> sections);

}  // namespace orrery::workload
