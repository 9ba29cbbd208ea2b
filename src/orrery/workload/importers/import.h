// SPDX-License-Identifier: Apache-2.0
//
// Other tools' files as specifications. Each importer fills in what its file says, keeps the rest
// of `spec` as it is, and counts what it does not know (key_ignored).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

enum class ImportFormat : std::uint8_t {
  spec,            ///< our own
  hugging_face,    ///< config.json of a model
  peft,            ///< adapter_config.json of PEFT: low-rank adapters
  megatron,        ///< command-line arguments: a shell script, or a saved list
  nemo,            ///< YAML of NeMo
  deepspeed,       ///< ds_config.json
  calculon_model,  ///< model .json
  calculon_run,    ///< execution .json
  vtrain,          ///< config .json
  simai,           ///< AICB text (its header): parallelism and model
};
[[nodiscard]] std::string_view name(ImportFormat format);

/// Which format this text is in, by its content. Errc: input_unsupported, naming what was looked
/// for.
[[nodiscard]] Result<ImportFormat> sniff(std::string_view text, const std::string& where);

/// Adds what the file says to `spec`, which may be open (defaults.h) and then stays so where the
/// file says nothing. A model's family that is not known is an error that lists the
/// fields missing. Errc: config_*, input_unsupported.
[[nodiscard]] Result<void> import_into(Spec& spec, std::string_view text, const std::string& where,
                                       Findings& findings);

}  // namespace orrery::workload
