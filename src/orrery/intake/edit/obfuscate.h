// SPDX-License-Identifier: Apache-2.0
//
// Chakra traces without what they would give away: only what a simulation needs is let through.
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

/// The attributes that stay, ascending. Everything else goes: tensors' shapes, types and values,
/// schemas, the file's own facts, unknown fields. Of what stays, numbers of bytes and operations
/// keep two significant digits, names of groups and threads' and streams' numbers become others.
[[nodiscard]] const std::vector<std::string_view>& allowed_attributes();

/// `value` with its two leading decimal digits, rounded to nearest: 123456 → 120000.
[[nodiscard]] std::uint64_t round_to_two_digits(std::uint64_t value);

/// One for all ranks of a job: equal names get equal aliases.
class Obfuscator {
 public:
  /// `salt`: see Aliases.
  explicit Obfuscator(std::string_view salt);

  /// Starts are counted from `origin_micros`.
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

/// How well somebody who has the trace itself, names and all, could find its names in the
/// obfuscated one: by how often a name occurs, as what, and how long it takes in all.
struct Reidentification {
  std::uint64_t names = 0;
  std::uint64_t unique = 0;  ///< no other name has the same signature
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

/// Rewrites `<from>.<rank>.et` (ranks 0, 1 … as far as there are files; or one file called `from`)
/// as `<to>.<rank>.et`, and the companion group file beside it. Files appear whole or not at all,
/// over others only with `force`. Errc: as reading and writing say.
[[nodiscard]] Result<ObfuscateReport> obfuscate(const std::string& from, const std::string& to,
                                                std::string_view salt, bool force,
                                                Findings& findings);

}  // namespace orrery::intake
