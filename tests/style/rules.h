// SPDX-License-Identifier: Apache-2.0
//
// The house's rules as functions over text. Each returns what is wrong, one sentence per violation,
// empty when all is well.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "includes.h"

namespace orrery::style {

/// The rooms that a room may include: itself, and everything reached through others. Keys are
/// "core", "graph", … and "apps/orrery". In the same way, the folders of its room that a folder may
/// include: keys are "sim/engine", …
using RoomTable = std::map<std::string, std::set<std::string>>;

/// Reads the tables of docs/architecture.md: rows `| \`room\` | contents | \`a\` \`b\` |`;
/// "everything" means all rooms. "not" precedes rooms that it may not include, although those
/// that it may include reach them: `| \`a\`, not \`b\` |`.
[[nodiscard]] RoomTable parse_rooms(std::string_view architecture);

/// Includes of a file of ours that the table does not allow, that name no room, or that are not
/// written whole. `path` is relative to the root. In apps/orrery, a file may include others of this
/// folder without it: "session.h", "options/rank_list.h".
[[nodiscard]] Violations check_includes(const std::string& path, std::string_view text,
                                        const RoomTable& rooms);

/// Folders that include others of their room against the table, folders that the table lacks, and
/// rows of the table without a folder. `folders`: from add_folders().
[[nodiscard]] Violations check_folders(const RoomTable& rooms, const IncludeTable& folders);

[[nodiscard]] Violations check_length(const std::string& path, std::string_view text);
[[nodiscard]] Violations check_functions(const std::string& path, std::string_view text);
[[nodiscard]] Violations check_license(const std::string& path, std::string_view text);

/// Library code that prints, exits, or asks for the clock, the terminal or the environment.
[[nodiscard]] Violations check_quiet(const std::string& path, std::string_view text);

/// Places that only exist where someone happened to work.
[[nodiscard]] Violations check_mentions(const std::string& path, std::string_view text);

struct Enumerator {
  std::string name;
  std::string value;  ///< as written; may be empty
  friend bool operator==(const Enumerator&, const Enumerator&) = default;
};

/// Enumerators of `enum class <name>` in `header`, one a line.
[[nodiscard]] std::vector<Enumerator> enumerators(std::string_view header, std::string_view name);

/// Names of `inline constexpr … kName = …` in `header`.
[[nodiscard]] std::vector<std::string> constants(std::string_view header);

/// GitHub's anchors of a Markdown page's headings.
[[nodiscard]] std::set<std::string> anchors(std::string_view markdown);

/// Targets of a Markdown page's links that are not on the web, outside code.
[[nodiscard]] std::vector<std::string> local_links(std::string_view markdown);

}  // namespace orrery::style
