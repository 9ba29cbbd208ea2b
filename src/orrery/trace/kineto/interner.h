// SPDX-License-Identifier: Apache-2.0
//
// Strings of a trace repeat within a few events: a small cache in front of the pool.
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

  /// A raw string's content, unescaped, cut to limits::kEventNameBytes (string_cut).
  StringId string(std::string_view raw);
  /// A raw value's text, lists on one line. A string loses its quotes.
  StringId json(std::string_view raw);
  /// Any text, as it is.
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

/// JSON on one line: space outside of strings only behind commas and colons.
void on_one_line(std::string_view text, std::string& out);

}  // namespace orrery::trace::kineto
