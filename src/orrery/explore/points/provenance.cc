// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/points/provenance.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace orrery::explore {

extern const char* const kModelsHash;

std::string_view models_hash() { return std::string_view(kModelsHash).substr(0, 16); }

std::string folder_of(const std::string& where) {
  return std::filesystem::path(where).parent_path().string();
}

Provenance provenance_of(const FileHashes& files, const std::string& where,
                         std::string_view models) {
  return {std::string(models), relative_to(folder_of(where), files)};
}

void write_provenance(report::JsonWriter& json, const Provenance& provenance) {
  json.field("models", provenance.models).key("files").begin_object();
  for (const auto& [path, hash] : provenance.files) json.field(path, hash);
  json.end_object();
}

bool read_provenance(const config::Json& line, Provenance& out) {
  const auto models = line.find("models");
  const auto files = line.find("files");
  if (models == line.end() || !models->is_string() || files == line.end() || !files->is_object())
    return false;
  out.models = models->get<std::string>();
  for (const auto& [path, hash] : files->items()) {
    if (!hash.is_string()) return false;
    out.files.emplace(path, hash.get<std::string>());
  }
  return true;
}

}  // namespace orrery::explore
