// SPDX-License-Identifier: Apache-2.0
//
// Debug annotations as the arguments of an element of traceEvents.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/trace/kineto/record.h"

namespace orrery::trace::pftrace {

/// Texts that packets of one sequence refer to by number.
class InternedStrings {
 public:
  /// Takes what a message of interned data has. Throws protozero's exceptions.
  void add(std::string_view message);
  void clear() { tables_.clear(); }
  /// Empty for a number that nothing stands behind.
  [[nodiscard]] std::string_view find(std::uint32_t table, std::uint64_t number) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> tables_;  // by (field, number)
};

/// One event's, as JSON. What is nested too deeply is null, and so is what comes behind the bytes
/// that an element of a JSON trace may have.
class DebugAnnotations {
 public:
  void clear();
  /// Takes one annotation. Throws protozero's exceptions.
  void add(std::string_view annotation, const InternedStrings& interned);
  void add(std::string_view key, std::string_view raw);
  [[nodiscard]] bool has(std::string_view key) const;
  /// Gives them to a record, which refers to them until the next change here.
  void give(kineto::Record& record) const;

 private:
  struct Slot {
    std::size_t key = 0, value = 0, end = 0;  // in text_
  };
  void append_value(std::string_view annotation, const InternedStrings& interned, int depth);

  std::string text_;
  std::vector<Slot> slots_;
};

}  // namespace orrery::trace::pftrace
