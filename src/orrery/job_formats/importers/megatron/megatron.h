// SPDX-License-Identifier: Apache-2.0
//
// Parts of the reader of Megatron's arguments. Private to this folder.
#pragma once

#include <array>

#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/job_formats/importers/key_table.h"

namespace orrery::workload {

/// Reads plan, schedule, precision, recomputation and batch; `spec.model` must be set. Missing
/// arguments keep the values of `spec`. Errc: config_*.
[[nodiscard]] Result<void> read_megatron_plan(config::KeyReader& keys, const config::Json& file,
                                              const std::string& where, Spec& spec,
                                              Findings& findings);

/// What each argument becomes. NeMo's, Megatron-Bridge's and AMD Primus' keys are read as these.
extern const ImporterTable kMegatronTable, kNemoTable;

/// Sets the vocabulary of a model whose arguments give only a tokenizer or a name: the model's own
/// if these or its sizes identify it (finding chosen_by_default), else Megatron's usual 51,200
/// (finding default_assumed).
void choose_megatron_vocabulary(Model& model, const MegatronArguments& file,
                                const std::string& where, Findings& findings);

/// Errc: input_unsupported if the arguments belong to a model that is not a decoder (BERT, T5 …).
[[nodiscard]] Result<void> refuse_other_megatron_models(const MegatronArguments& file,
                                                        const std::string& where);

/// Whether a text is, or contains, the list of arguments that Megatron-LM prints at its start.
[[nodiscard]] bool is_printed_arguments(std::string_view text);
/// The arguments of that list, behind any prefix that a launcher adds to lines. Errc: input_corrupt
/// if the list does not end.
[[nodiscard]] Result<MegatronArguments> printed_arguments(std::string_view text,
                                                          const std::string& where,
                                                          Findings& findings);

/// The keys of the arguments in the YAML files of Megatron-LM's tests (model_config.yaml) and of
/// its examples (moe_recipes).
inline constexpr std::array kTestArguments = {"MODEL_ARGS", "ARGS"};
/// Whether a line of the text, or a key of the document, is one of them.
[[nodiscard]] bool has_test_arguments(std::string_view text);
[[nodiscard]] bool has_test_arguments(const config::Json& document);
/// The arguments of such a document. Variables of a shell are findings (key_ignored).
[[nodiscard]] MegatronArguments test_arguments(const config::Json& document,
                                               const std::string& where, Findings& findings);

/// Merges sections of a YAML file into one object; later sections override earlier ones. Replaces
/// "${.key}" by the value it refers to.
[[nodiscard]] config::Json flat_sections(const config::Json& file,
                                         std::initializer_list<const char*> sections);

}  // namespace orrery::workload
