// SPDX-License-Identifier: Apache-2.0
//
// Options whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/core/suggest.h"

namespace orrery::app {

/// Adds an option that sets `value` to what its word means. `value` and the words' texts must
/// outlive `command`.
template <class E>
CLI::Option* add_choice(CLI::App& command, const std::string& name, E& value,
                        std::vector<std::pair<std::string_view, E>> words,
                        const std::string& about) {
  const auto set = [name, &value, words = std::move(words)](const std::string& word) {
    std::vector<std::string_view> known;
    for (const auto& [text, meaning] : words) {
      known.push_back(text);
      if (text == word) value = meaning;
    }
    if (const auto fine = one_of(name, word, known); !fine)
      throw CLI::ValidationError(
          name, fine.error().what + (fine.error().hint.empty() ? "" : "; " + fine.error().hint));
  };
  return command.add_option_function<std::string>(name, set, about);
}

}  // namespace orrery::app
