// SPDX-License-Identifier: Apache-2.0
//
// Other tools' files as specifications. Each importer fills in what its file says, keeps the rest
// of `spec` as it is, and counts what it does not know (key_ignored). Each has a file of its own,
// where it is described once; a new one is put into kImporters, and its example into
// tests/fuzz/corpus/import_spec_fuzz under its name.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "orrery/config/document.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// One format. A file is of it if `is_text` says so, or if it is JSON or YAML whose outermost value
/// is an object and `is_document` says so; null says no.
struct Importer {
  std::string_view name;
  bool (*is_text)(std::string_view text) = nullptr;
  bool (*is_document)(const config::Json& document) = nullptr;
  /// Of a document it gets keys that have a value only. Null: the text is read.
  Result<void> (*import_document)(Spec& spec, const config::Json& document,
                                  const std::string& where, Findings& findings) = nullptr;
  Result<void> (*import_text)(Spec& spec, std::string_view text, const std::string& where,
                              Findings& findings) = nullptr;
};

extern const Importer kSpecificationImporter, kHuggingFaceImporter, kPeftImporter,
    kMegatronImporter, kNemoImporter, kDeepspeedImporter, kCalculonModelImporter,
    kCalculonRunImporter, kVtrainImporter, kSimaiImporter;

/// In the order in which they are asked, texts before documents: keys of one may be keys of
/// another.
inline constexpr std::array kImporters{
    &kSimaiImporter,       &kHuggingFaceImporter,  &kPeftImporter,      &kCalculonModelImporter,
    &kCalculonRunImporter, &kVtrainImporter,       &kDeepspeedImporter, &kNemoImporter,
    &kMegatronImporter,    &kSpecificationImporter};
/// Whose files they are, for sentences.
inline constexpr std::string_view kImportedTools =
    "Hugging Face, Megatron, NeMo, DeepSpeed, Calculon, vTrain, SimAI";

/// Which format this text is in, by its content. Errc: input_unsupported, naming what was looked
/// for.
[[nodiscard]] Result<const Importer*> detect_importer(std::string_view text,
                                                      const std::string& where);

/// Adds what the file says to `spec`, which may be open (defaults.h) and then stays so where the
/// file says nothing. A model's family that is not known is an error that lists the
/// fields missing. Errc: config_*, input_unsupported.
[[nodiscard]] Result<void> import_into(Spec& spec, std::string_view text, const std::string& where,
                                       Findings& findings);

}  // namespace orrery::workload
