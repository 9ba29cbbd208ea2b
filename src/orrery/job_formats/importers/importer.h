// SPDX-License-Identifier: Apache-2.0
//
// Reads files of other tools as specifications. Each importer sets what its file specifies, keeps
// the other values of `spec`, and reports unknown keys (finding key_ignored). Each importer is
// described once, in its own file. Add a new one to kImporters, and an example under its name to
// tests/fuzz/corpus/import_spec_fuzz.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "orrery/config/json_types.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// One file format. A file has this format if `is_text` returns true, or if it is a JSON or YAML
/// object and `is_document` returns true. A null function means false.
struct Importer {
  std::string_view name;
  std::string_view tool;       ///< as its authors write it, for messages; formats may share one
  std::string_view files;      ///< which of its files, for the documentation (Markdown)
  std::string_view reads;      ///< what of a job
  std::string_view refuses{};  ///< what it refuses by name
  bool (*is_text)(std::string_view text) = nullptr;
  bool (*is_document)(const config::Json& document) = nullptr;
  /// Reads a document without null values. If this function is null, import_text reads the text.
  Result<void> (*import_document)(Spec& spec, const config::Json& document,
                                  const std::string& where, Findings& findings) = nullptr;
  Result<void> (*import_text)(Spec& spec, std::string_view text, const std::string& where,
                              Findings& findings) = nullptr;
};

extern const Importer kSpecificationImporter, kHuggingFaceImporter, kPeftImporter,
    kMegatronImporter, kNemoImporter, kDeepspeedImporter, kCalculonModelImporter,
    kCalculonRunImporter, kVtrainImporter, kSimaiImporter, kTorchtitanImporter, kGptNeoxImporter,
    kNanotronImporter, kLlmFoundryImporter, kOlmoImporter, kMaxTextImporter, kAccelerateImporter,
    kLlamaFactoryImporter, kAxolotlImporter, kPrimusImporter, kMegatronBridgeImporter;

/// All importers, in the order in which they are tried, since some formats share keys. Text formats
/// are tried before documents.
inline constexpr std::array kImporters{
    &kSimaiImporter,        &kTorchtitanImporter, &kHuggingFaceImporter,
    &kPeftImporter,         &kPrimusImporter,     &kMegatronBridgeImporter,
    &kNanotronImporter,     &kGptNeoxImporter,    &kAccelerateImporter,
    &kLlamaFactoryImporter, &kAxolotlImporter,    &kMaxTextImporter,
    &kLlmFoundryImporter,   &kOlmoImporter,       &kCalculonModelImporter,
    &kCalculonRunImporter,  &kVtrainImporter,     &kDeepspeedImporter,
    &kNemoImporter,         &kMegatronImporter,   &kSpecificationImporter};
/// The supported tools, for messages: "AMD Primus, Calculon …".
[[nodiscard]] std::string imported_tools();

/// The text of docs/reference/importers.md.
[[nodiscard]] std::string importers_reference();

/// Detects the format of a text by its content; null if it describes no job. Errc: config_syntax,
/// input_unsupported (a Python program).
[[nodiscard]] Result<const Importer*> detect_importer(std::string_view text,
                                                      const std::string& where);

/// Whether the text is a YAML file with arguments of a model under Megatron-LM's names and without
/// its sizes. Other files extend it (AMD Primus' `extends`).
[[nodiscard]] bool is_part_of_model(std::string_view text);

/// Sets the values of the file in `spec`. Values that `spec` (defaults.h) and the file leave open
/// stay open. An unknown model family is an error that lists the missing fields. Errc: config_*,
/// input_unsupported.
[[nodiscard]] Result<void> import_into(Spec& spec, std::string_view text, const std::string& where,
                                       Findings& findings);

}  // namespace orrery::workload
