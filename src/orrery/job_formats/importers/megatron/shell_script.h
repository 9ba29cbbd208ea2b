// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a launch script without a shell. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::workload {

/// A word of a script, without quotes and line continuations. `$(…)` and `${…}` are one word.
struct ShellWord {
  std::string text;
  std::int64_t line = 1;
  bool command = false;  ///< it is at the start of a command, outside of quotes
};

/// Splits a script into words at spaces and line ends, without comments. Quoted text is split, too,
/// since scripts store lists of arguments in quotes. `;;` is a word. Returns at most `limit` + 1
/// words.
[[nodiscard]] std::vector<ShellWord> shell_words(std::string_view text, std::size_t limit);

/// Whether `text` has only letters, digits and underscores.
[[nodiscard]] bool is_shell_name(std::string_view text);

/// Returns the value of a variable; empty if it is unknown.
using ShellLookup = std::function<std::optional<std::string>(const std::string&)>;

/// Evaluates the expression in `$((…))`: integers, names, + - * / % and parentheses. Empty for
/// other expressions and for overflow of 64 bits.
[[nodiscard]] std::optional<std::int64_t> shell_arithmetic(std::string_view text,
                                                           const ShellLookup& lookup);

/// Expands $NAME, ${NAME}, ${NAME:-default} and $((…)) as a shell does, if their values are known.
/// A word that grows without end stays unchanged. `unset_is_empty`: unknown names expand to
/// nothing, as in a shell without arguments and environment.
[[nodiscard]] std::string shell_expand(std::string word, const ShellLookup& lookup,
                                       bool unset_is_empty = false);

/// Evaluates the words between `if` and `then`: comparisons of texts and numbers, -z, -n, joined by
/// && and ||. Empty if the result depends on running the script.
[[nodiscard]] std::optional<bool> shell_condition(const std::vector<std::string>& words,
                                                  const ShellLookup& lookup);

/// Evaluates a Python list of integers with +, * and parentheses, as Megatron accepts for layers:
/// "([0]*3+[1]*58)". Empty for other expressions, and for more than `maximum` elements.
[[nodiscard]] std::optional<std::vector<std::int64_t>> python_list(std::string_view text,
                                                                   std::size_t maximum);

}  // namespace orrery::workload
