// SPDX-License-Identifier: Apache-2.0
//
// What a launch script says, without a shell. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::workload {

/// A word of a script: quotes and line continuations are gone, `$(…)` and `${…}` are whole.
struct ShellWord {
  std::string text;
  std::int64_t line = 1;
  bool command = false;  ///< it stands where a command begins, outside of quotes
};

/// Words between spaces and line ends, without comments. What stands in quotes reads like any other
/// words, for scripts keep lists of arguments there; `;;` is a word. At most `limit` + 1 of them.
[[nodiscard]] std::vector<ShellWord> shell_words(std::string_view text, std::size_t limit);

/// Letters, digits, underscores.
[[nodiscard]] bool is_shell_name(std::string_view text);

/// What a name stands for, or nothing.
using ShellLookup = std::function<std::optional<std::string>(const std::string&)>;

/// The inside of `$((…))`: whole numbers, names, + - * / % and parentheses. Nothing for all else,
/// and for what does not fit 64 bits.
[[nodiscard]] std::optional<std::int64_t> shell_arithmetic(std::string_view text,
                                                           const ShellLookup& lookup);

/// What a shell would put for $NAME, ${NAME}, ${NAME:-default} and $((…)), as far as it is known; a
/// word that grows without end stays as it is then. `unset_is_empty`: names that nothing is known
/// of stand for nothing, as in a shell that got no arguments and no environment.
[[nodiscard]] std::string shell_expand(std::string word, const ShellLookup& lookup,
                                       bool unset_is_empty = false);

/// The words between `if` and `then`: comparisons of texts and numbers, -z, -n, joined by && and
/// ||. Nothing for what cannot be told without running it.
[[nodiscard]] std::optional<bool> shell_condition(const std::vector<std::string>& words,
                                                  const ShellLookup& lookup);

/// A Python expression of lists of whole numbers, +, * and parentheses, as Megatron takes it for
/// layers: "([0]*3+[1]*58)". Nothing for all else, and for more than `most` elements.
[[nodiscard]] std::optional<std::vector<std::int64_t>> python_list(std::string_view text,
                                                                   std::size_t most);

}  // namespace orrery::workload
