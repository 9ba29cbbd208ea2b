// SPDX-License-Identifier: Apache-2.0
//
// When a stored answer is used, and when it is computed again.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/system/read_files.h"
#include "orrery/explore/points/provenance.h"

namespace orrery::explore {

/// Whether answers are up to date. It reads each file once. Not thread-safe.
class Freshness {
 public:
  /// `where`: of the space. `models`: what up-to-date answers were computed with.
  explicit Freshness(const std::string& where, std::string_view models = models_hash())
      : models_(models), files_(folder_of(where)) {}
  [[nodiscard]] bool holds(const Provenance& provenance) {
    return provenance.models == models_ && files_.unchanged(provenance.files);
  }
  /// Null: no.
  [[nodiscard]] bool holds(const std::shared_ptr<const Provenance>& provenance) {
    return provenance != nullptr && holds(*provenance);
  }

 private:
  std::string_view models_;
  CurrentFiles files_;
};

}  // namespace orrery::explore
