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
#include "orrery/explore/figures.h"
#include "orrery/explore/space_file.h"
#include "orrery/search/plans/plan_search.h"

namespace orrery::explore {

/// By digest (which has the gear in it).
using Kept = std::map<std::string, Told, std::less<>>;

/// What a line calls the gear that told it: "columns", "estimate", "simulate".
[[nodiscard]] std::string_view gear_word(search::Gear gear);

/// One line, with a newline.
[[nodiscard]] std::string line_of(const SearchSpace& space, const At& at, search::Gear gear,
                                  const std::string& digest, const Told& told);

/// Of a point that failed: told to whoever asked, but not kept.
[[nodiscard]] std::string failed_line(const std::string& digest, const Error& error);

struct Answer {
  std::string digest;
  Told told;
};
/// What either line says; none: it is no such line.
[[nodiscard]] std::optional<Answer> read_answer(std::string_view line);

/// Adds what the lines say. Lines that are incomplete or of another form are skipped. Of two lines
/// for one point the first counts, unless only the second is up to date. `lines` gets each that
/// counts, by digest.
void parse_kept(std::string_view text, space::Freshness& fresh, Kept& kept,
                std::map<std::string, std::string>& lines);

/// FILE.part-1-of-4
[[nodiscard]] std::string part_file(const std::string& file, std::uint32_t part,
                                    std::uint32_t parts);

/// All files that a search's results may be in: FILE, and FILE.part-1-of-4 … beside it, in order.
[[nodiscard]] std::vector<std::string> files_of(const std::string& file);

/// What one of them says; nothing, where there is none. Errc: as read_kept.
[[nodiscard]] Result<void> read_own(const std::string& path, space::Freshness& fresh, Kept& kept,
                                    std::map<std::string, std::string>& lines);

/// What they say. Errc: limit_exceeded, config_not_found (one cannot be read).
[[nodiscard]] Result<void> read_kept(const std::string& file, space::Freshness& fresh, Kept& kept,
                                     std::map<std::string, std::string>& lines);

}  // namespace orrery::explore
