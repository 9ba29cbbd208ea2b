// SPDX-License-Identifier: Apache-2.0
//
// A small cache in front of the string pool, because strings of a trace repeat within a few events.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/findings.h"
#include "orrery/core/strings.h"

namespace orrery::trace::kineto {

class Interner {
 public:
  /// `where` names the file.
  Interner(StringPool& pool, std::string where, Findings& findings);

  /// The content of a raw string, unescaped, cut to limits::kEventNameBytes (string_cut).
  StringId string(std::string_view raw);
  /// The text of a raw value, with lists on one line. A string loses its quotes.
  StringId json(std::string_view raw);
  /// Any text, unchanged.
  StringId text(std::string_view text);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    StringId id = StringId::empty;
  };
  static constexpr std::size_t kSlots = 1u << 13;

  std::string_view cut(std::string_view text);

  StringPool& pool_;
  Findings& findings_;
  std::string where_;
  std::unique_ptr<std::array<Slot, kSlots>> slots_;
  std::string scratch_;
};

/// JSON on one line: outside of strings, spaces only after commas and colons.
void on_one_line(std::string_view text, std::string& out);

}  // namespace orrery::trace::kineto
