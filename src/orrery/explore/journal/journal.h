// SPDX-License-Identifier: Apache-2.0
//
// Stored points: a file with one line of JSON per point, so that an interrupted search continues.
// Files of several machines are read together.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/journal/freshness.h"
#include "orrery/explore/points/evaluation.h"
#include "orrery/explore/points/result_columns.h"
#include "orrery/explore/space/space_file.h"

namespace orrery::explore {

/// Results by digest; the digest contains the evaluation method.
using StoredPoints = std::map<std::string, PointPrediction, std::less<>>;

/// Label of the evaluation method in a line: "columns", "estimate", "simulate".
[[nodiscard]] std::string_view evaluation_label(Evaluation evaluation);

/// A line for a result, with a newline.
[[nodiscard]] std::string line_of(const SearchSpace& space, const Coordinates& at,
                                  Evaluation evaluation, const std::string& digest,
                                  const PointPrediction& predicted);

/// A line for a failed point, which is reported but not stored.
[[nodiscard]] std::string failure_line(const std::string& digest, const Error& error);

struct JournalEntry {
  std::string digest;
  PointPrediction predicted;
};
/// Parses either kind of line; empty: another kind.
[[nodiscard]] std::optional<JournalEntry> parse_journal_entry(std::string_view line);

/// Parses all lines into `stored`. Skips lines that are incomplete or of another kind. If a point
/// has two lines, the first counts, unless only the second is up to date. `lines` receives each
/// line that counts, by digest.
void parse_journal(std::string_view text, Freshness& fresh, StoredPoints& stored,
                   std::map<std::string, std::string>& lines);

/// File name of a part: FILE.part-1-of-4.
[[nodiscard]] std::string part_file(const std::string& file, std::uint32_t part,
                                    std::uint32_t parts);

/// All files that may contain results of a search: FILE, and FILE.part-1-of-4 … next to it, in
/// order.
[[nodiscard]] std::vector<std::string> journal_files(const std::string& file);

/// Reads one of these files; adds nothing if it is missing. Errc: as read_journals.
[[nodiscard]] Result<void> read_journal_file(const std::string& path, Freshness& fresh,
                                             StoredPoints& stored,
                                             std::map<std::string, std::string>& lines);

/// Reads all of these files. Errc: limit_exceeded, config_not_found (one cannot be read).
[[nodiscard]] Result<void> read_journals(const std::string& file, Freshness& fresh,
                                         StoredPoints& stored,
                                         std::map<std::string, std::string>& lines);

}  // namespace orrery::explore
