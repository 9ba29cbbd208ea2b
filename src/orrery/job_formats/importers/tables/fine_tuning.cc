// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/tables/fine_tuning.h"

#include <fmt/format.h>

namespace orrery::workload {

using config::Json;

Result<void> add_adapters(Spec& spec, const Adapters& adapters, const std::string& place,
                          Findings& findings) {
  const Json peft = {
      {"peft_type", "LORA"}, {"r", adapters.rank}, {"target_modules", adapters.modules}};
  return kPeftImporter.import_document(spec, peft, place, findings);
}

Result<void> read_deepspeed_file(Spec& spec, const Json& value, const std::string& place,
                                 const std::string& where, Findings& findings) {
  if (value.is_object()) return import_into(spec, value.dump(), place, findings);
  if (!value.is_string() || value == "") return {};
  const auto file = file_beside(where, value.get<std::string>());
  if (file) return import_into(spec, file->text, file->path, findings);
  findings.add(FindingCode::key_ignored,
               fmt::format("{}: {} is not there", place, value.get<std::string>()));
  return {};
}

Result<void> read_fine_tuning(Spec& spec, const Json& file, std::string_view model_key,
                              const KnownKeys& keys, const std::string& where, Findings& findings) {
  const std::string place = fmt::format("{}:/{}", where, model_key);
  if (auto named = use_named_model(spec, text_at(file, model_key), place, where, findings); !named)
    return named;
  const Batch batch = spec.batch;
  if (auto read = read_deepspeed_file(spec, file.value("deepspeed", Json()), where + ":/deepspeed",
                                      where, findings);
      !read)
    return read;
  spec.batch = batch;
  if (auto done = apply_keys(keys, flat_paths(file), where, spec, findings); !done)
    return tl::unexpected(done.error());
  return {};
}

}  // namespace orrery::workload
