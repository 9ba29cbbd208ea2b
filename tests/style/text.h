// SPDX-License-Identifier: Apache-2.0
//
// Small pieces that the style rules are made of: lines, words, files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::style {

/// `text` cut at newlines; a last line without one counts too.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// The same text with raw string literals and comments blanked; newlines stay where they are.
[[nodiscard]] std::string without_literals(std::string_view text);

[[nodiscard]] std::string read(const std::filesystem::path& path);

/// All regular files below `root`/`folder`, sorted, as paths relative to `root`. No folder:
/// nothing.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& root,
                                                const std::string& folder);

/// Every file a reader of the project sees: not version control, build folders or caches.
[[nodiscard]] std::vector<std::string> project_files(const std::filesystem::path& root);

[[nodiscard]] bool has_suffix(std::string_view text, std::string_view suffix);

}  // namespace orrery::style
