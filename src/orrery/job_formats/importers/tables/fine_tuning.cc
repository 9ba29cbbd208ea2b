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
  if (value.is_object()) return kDeepspeedImporter.import_document(spec, value, place, findings);
  if (!value.is_string() || value == "") return {};
  const auto file = file_beside(where, value.get<std::string>());
  if (!file) {
    findings.add(FindingCode::key_ignored,
                 fmt::format("{}: {} is not there", place, value.get<std::string>()));
    return {};
  }
  const Batch batch = spec.batch;
  auto document = config::parse_json(file->text, file->path);
  if (!document) return tl::unexpected(document.error());
  if (auto read = kDeepspeedImporter.import_document(spec, *document, file->path, findings); !read)
    return read;
  spec.batch = batch;
  return {};
}

}  // namespace orrery::workload
