// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a stored result is up to date or must be computed again.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/system/file_read_recorder.h"
#include "orrery/explore/points/provenance.h"

namespace orrery::explore {

/// Checks whether stored results are up to date. Reads each file once. Not thread-safe.
class Freshness {
 public:
  /// `where`: file of the space. `models`: models hash of up-to-date results.
  explicit Freshness(const std::string& where, std::string_view models = models_hash())
      : models_(models), files_(folder_of(where)) {}
  [[nodiscard]] bool holds(const Provenance& provenance) {
    return provenance.models == models_ && files_.unchanged(provenance.files);
  }
  /// False for null.
  [[nodiscard]] bool holds(const std::shared_ptr<const Provenance>& provenance) {
    return provenance != nullptr && holds(*provenance);
  }

 private:
  std::string_view models_;
  CurrentFiles files_;
};

}  // namespace orrery::explore
