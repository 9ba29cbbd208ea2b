// SPDX-License-Identifier: Apache-2.0
//
// What a stored answer was computed from: it is used again only while all of that is unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/config/reading.h"
#include "orrery/core/files_read.h"
#include "orrery/report/json.h"

namespace orrery::space {

/// Of the sources and the data of this build that answers follow from: 16 hexadecimal digits of a
/// SHA-256 (cmake/OrreryModelsHash.cmake).
[[nodiscard]] std::string_view models_hash();

/// Of one answer. What it asks stands in its digest.
struct Provenance {
  std::string models{};  ///< models_hash() of the build that computed it
  FileHashes files{};    ///< that were read; relative to the folder of the space's file

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

/// The folder of the file that a space came from.
[[nodiscard]] std::string folder_of(const std::string& where);

/// By this build, from these files. `where`: of the space.
[[nodiscard]] Provenance provenance_of(const FileHashes& files, const std::string& where);

/// "models" and "files" of a stored line.
void write_provenance(report::JsonWriter& json, const Provenance& provenance);
[[nodiscard]] bool read_provenance(const config::Json& line, Provenance& out);

/// Whether answers are up to date. It reads each file once. Not thread-safe.
class Freshness {
 public:
  /// `where`: of the space.
  explicit Freshness(const std::string& where) : files_(folder_of(where)) {}
  [[nodiscard]] bool holds(const Provenance& provenance) {
    return provenance.models == models_hash() && files_.unchanged(provenance.files);
  }
  /// Null: no.
  [[nodiscard]] bool holds(const std::shared_ptr<const Provenance>& provenance) {
    return provenance != nullptr && holds(*provenance);
  }

 private:
  FilesNow files_;
};

}  // namespace orrery::space
