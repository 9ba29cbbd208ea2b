// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a stored result. The result is used only while all of them are unchanged.
#pragma once

#include <string>
#include <string_view>

#include "orrery/config/json_types.h"
#include "orrery/core/system/file_read_recorder.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::explore {

/// Hash of the sources and data of this build that affect results: 16 hexadecimal digits of a
/// SHA-256 (cmake/OrreryModelsHash.cmake).
[[nodiscard]] std::string_view models_hash();

/// Provenance of one result. Its digest identifies the question.
struct Provenance {
  std::string models{};  ///< models_hash() of the build that computed it, or an add-on's hash
  FileHashes files{};    ///< input files; relative to the folder of the space file

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// Folder of the file of a space.
[[nodiscard]] std::string folder_of(const std::string& where);

/// Provenance of a result computed with `models` from `files`. `where`: file of the space.
[[nodiscard]] Provenance provenance_of(const FileHashes& files, const std::string& where,
                                       std::string_view models = models_hash());

/// Writes "models" and "files" of a stored line.
void write_provenance(report::JsonWriter& json, const Provenance& provenance);
[[nodiscard]] bool read_provenance(const config::Json& line, Provenance& out);

}  // namespace orrery::explore
