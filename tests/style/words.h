// SPDX-License-Identifier: Apache-2.0
//
// Plain words: idiom that no text for users may contain (CONTRIBUTING.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules.h"

namespace orrery::style {

/// The forbidden words of a text, each as often as it stands there.
[[nodiscard]] std::vector<std::string> forbidden_words(std::string_view text);

/// The British spellings of words that the project spells as NCCL and PyTorch do (`color`,
/// `synchronize`), also as parts of names, each as often as it stands in `text`; in lower case.
[[nodiscard]] std::vector<std::string> british_spellings(std::string_view text);

/// What users read of Markdown: without code, link targets and comments.
[[nodiscard]] std::string prose_of(std::string_view markdown);

/// What users read of a C++ source: its string literals, one per line, with adjacent ones joined.
[[nodiscard]] std::string strings_of(std::string_view source);

/// What users read of a public header: its comments.
[[nodiscard]] std::string comments_of(std::string_view header);

/// A violation for each line of `text` (as the functions above make it) with a forbidden word.
[[nodiscard]] Violations check_words(const std::string& path, std::string_view text);

}  // namespace orrery::style
