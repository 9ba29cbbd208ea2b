// SPDX-License-Identifier: Apache-2.0
//
// YAML lists embedded in the program (data/, cmake/OrreryEmbed.cmake). Entries are parsed on first
// use, since parsing a whole list takes longer than many commands.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/config/parameters.h"
#include "orrery/core/check.h"

namespace orrery::config {

/// An unparsed entry of an embedded list.
struct EntryText {
  std::string_view name;
  std::string_view text;  ///< a list with this entry alone
};

/// The entries of a YAML list, each starting with a line "- name: ".
[[nodiscard]] std::vector<EntryText> split_entries(std::string_view yaml);

/// The name without case, hyphens, underscores and spaces: "H100 SXM" is "h100sxm".
[[nodiscard]] std::string plain_spelling(std::string_view name);

/// Parses an entry. Errc: those of parse_yaml and of T's table.
template <Declared T>
[[nodiscard]] Result<T> read_entry(const EntryText& entry) {
  const std::string where(entry.name);
  Result<Json> tree = parse_yaml(entry.text, where);
  if (!tree) return tl::unexpected(std::move(tree.error()));
  Reading reading{where};
  std::vector<T> read;
  read_value(*tree, "", between(1, 1), read, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  return std::move(read.front());
}

/// Entries by name. An invalid entry is a bug and ends the program, so a test must check() them.
/// Thread-safe.
template <Declared T>
class BuiltInList {
 public:
  explicit BuiltInList(std::vector<EntryText> texts)
      : texts_(std::move(texts)), is_read_(texts_.size()), entries_(texts_.size()) {}

  /// The first error in any entry.
  [[nodiscard]] Result<void> check() const {
    for (const EntryText& text : texts_) {
      if (const Result<T> entry = read_entry<T>(text); !entry) return tl::unexpected(entry.error());
    }
    return {};
  }
  /// The entry of that name, however it is spelled (plain_spelling), or null. The pointer stays
  /// valid.
  [[nodiscard]] const T* find(std::string_view name) {
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (texts_[i].name == name) return &at(i);
    const std::string plain = plain_spelling(name);
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (plain_spelling(texts_[i].name) == plain) return &at(i);
    return nullptr;
  }
  /// All entries, in order.
  [[nodiscard]] const std::vector<T>& all() {
    for (std::size_t i = 0; i < texts_.size(); ++i) (void)at(i);
    return entries_;
  }

 private:
  const T& at(std::size_t i) {
    const std::lock_guard lock(mutex_);
    if (!is_read_[i]) {
      Result<T> entry = read_entry<T>(texts_[i]);
      ORRERY_CHECK(entry.has_value());
      entries_[i] = *std::move(entry);
      is_read_[i] = true;
    }
    return entries_[i];
  }

  std::vector<EntryText> texts_;
  std::mutex mutex_;
  std::vector<bool> is_read_;
  std::vector<T> entries_;  // as many from the start: they do not move
};

}  // namespace orrery::config
