// SPDX-License-Identifier: Apache-2.0
//
// What a stored answer was computed from: it is used again only while all of that is unchanged.
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/json_types.h"
#include "orrery/core/system/read_files.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::explore {

/// Of the sources and the data of this build that answers follow from: 16 hexadecimal digits of a
/// SHA-256 (cmake/OrreryModelsHash.cmake).
[[nodiscard]] std::string_view models_hash();

/// Of one answer. What it asks stands in its digest.
struct Provenance {
  std::string models{};  ///< models_hash() of the build that computed it, or an add-on's hash
  FileHashes files{};    ///< that were read; relative to the folder of the space's file

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// The folder of the file that a space came from.
[[nodiscard]] std::string folder_of(const std::string& where);

/// By the build with these `models`, from these files. `where`: of the space.
[[nodiscard]] Provenance provenance_of(const FileHashes& files, const std::string& where,
                                       std::string_view models = models_hash());

/// "models" and "files" of a stored line.
void write_provenance(report::JsonWriter& json, const Provenance& provenance);
[[nodiscard]] bool read_provenance(const config::Json& line, Provenance& out);

}  // namespace orrery::explore
