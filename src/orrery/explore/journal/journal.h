// SPDX-License-Identifier: Apache-2.0
//
// Points that are kept: a file with a line of JSON for each, so that a search that was broken off
// goes on where it was. Files of several machines are read together.
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

/// By digest (which contains the evaluation).
using StoredPoints = std::map<std::string, PointPrediction, std::less<>>;

/// What a line calls the gear that told it: "columns", "estimate", "simulate".
[[nodiscard]] std::string_view evaluation_label(Evaluation evaluation);

/// One line, with a newline.
[[nodiscard]] std::string line_of(const SearchSpace& space, const Coordinates& at,
                                  Evaluation evaluation, const std::string& digest,
                                  const PointPrediction& predicted);

/// Of a point that failed: told to whoever asked, but not kept.
[[nodiscard]] std::string failure_line(const std::string& digest, const Error& error);

struct JournalEntry {
  std::string digest;
  PointPrediction predicted;
};
/// What either line says; none: it is no such line.
[[nodiscard]] std::optional<JournalEntry> parse_journal_entry(std::string_view line);

/// Adds what the lines say. Lines that are incomplete or of another form are skipped. Of two lines
/// for one point the first counts, unless only the second is up to date. `lines` gets each that
/// counts, by digest.
void parse_journal(std::string_view text, Freshness& fresh, StoredPoints& stored,
                   std::map<std::string, std::string>& lines);

/// FILE.part-1-of-4
[[nodiscard]] std::string part_file(const std::string& file, std::uint32_t part,
                                    std::uint32_t parts);

/// All files that a search's results may be in: FILE, and FILE.part-1-of-4 … beside it, in order.
[[nodiscard]] std::vector<std::string> journal_files(const std::string& file);

/// What one of them says; nothing, where there is none. Errc: as read_journals.
[[nodiscard]] Result<void> read_journal_file(const std::string& path, Freshness& fresh,
                                             StoredPoints& stored,
                                             std::map<std::string, std::string>& lines);

/// What they say. Errc: limit_exceeded, config_not_found (one cannot be read).
[[nodiscard]] Result<void> read_journals(const std::string& file, Freshness& fresh,
                                         StoredPoints& stored,
                                         std::map<std::string, std::string>& lines);

}  // namespace orrery::explore
