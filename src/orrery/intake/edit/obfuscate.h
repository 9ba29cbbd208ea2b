// SPDX-License-Identifier: Apache-2.0
//
// Obfuscates Chakra traces: retains only what a simulation needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/intake/edit/aliases.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {

/// The attributes that are retained, ascending. All others are removed: shapes, types and values of
/// tensors, schemas, metadata of the file, unknown fields. Of the retained ones, numbers of bytes
/// and operations are rounded to two significant digits. Names of groups and numbers of threads and
/// streams are replaced.
[[nodiscard]] const std::vector<std::string_view>& allowed_attributes();

/// `value` rounded to its two leading decimal digits: 123456 → 120000.
[[nodiscard]] std::uint64_t round_to_two_digits(std::uint64_t value);

/// Use one object for all ranks of a job, so that equal names get equal aliases.
class Obfuscator {
 public:
  /// `salt`: see Aliases.
  explicit Obfuscator(std::string_view salt);

  /// Start times are relative to `origin_micros`.
  [[nodiscard]] trace::chakra::NodeRecord node(const trace::chakra::NodeRecord& node,
                                               std::uint64_t origin_micros);
  [[nodiscard]] trace::chakra::MetadataRecord metadata() const;
  [[nodiscard]] const std::string& group(std::string_view name) { return groups_.of(name); }
  [[nodiscard]] std::size_t names() const { return names_.size(); }

 private:
  [[nodiscard]] std::optional<trace::chakra::AttributeRecord> attribute(
      const trace::chakra::AttributeRecord& attribute);

  Aliases names_;
  Aliases groups_;
  std::map<std::uint64_t, std::uint64_t> threads_, streams_;
};

/// Success of an attacker who has the original trace and looks for its names in the obfuscated one,
/// by the frequency, the role and the total time of each name.
struct Reidentification {
  std::uint64_t names = 0;
  std::uint64_t unique = 0;  ///< names with a signature that no other name has
  [[nodiscard]] double share() const {
    return names == 0 ? 0 : static_cast<double>(unique) / static_cast<double>(names);
  }
};

struct ObfuscateReport {
  std::uint32_t ranks = 0;
  std::uint64_t nodes = 0;
  std::uint64_t names = 0;
  std::uint64_t attributes_retained = 0, attributes_dropped = 0;
  Reidentification reidentification;
};

/// Rewrites `<from>.<rank>.et` (all files with ranks 0, 1 …; or the one file `from`) to
/// `<to>.<rank>.et`, and the group file in the same folder. Files are written completely or not at
/// all. Existing files are replaced only with `force`. Errc: as reading and writing.
[[nodiscard]] Result<ObfuscateReport> obfuscate(const std::string& from, const std::string& to,
                                                std::string_view salt, bool force,
                                                Findings& findings);

}  // namespace orrery::intake
