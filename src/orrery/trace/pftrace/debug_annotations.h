// SPDX-License-Identifier: Apache-2.0
//
// Converts debug annotations to the arguments of an element of traceEvents.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/trace/kineto/record.h"

namespace orrery::trace::pftrace {

/// Texts that packets of one sequence reference by number.
class InternedStrings {
 public:
  /// Adds the texts of an InternedData message. Throws protozero's exceptions.
  void add(std::string_view message);
  void clear() { tables_.clear(); }
  /// Empty for an unknown number.
  [[nodiscard]] std::string_view find(std::uint32_t table, std::uint64_t number) const;

 private:
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> tables_;  // by (field, number)
};

/// The annotations of one event, as JSON. A value that nests too deeply becomes null, and so do
/// values beyond the maximum size of an element of a JSON trace.
class DebugAnnotations {
 public:
  void clear();
  /// Adds one annotation. Throws protozero's exceptions.
  void add(std::string_view annotation, const InternedStrings& interned);
  void add(std::string_view key, std::string_view raw);
  [[nodiscard]] bool has(std::string_view key) const;
  /// Sets the arguments of a record, which references them until the next change of this object.
  void copy_to(kineto::Record& record) const;

 private:
  struct Slot {
    std::size_t key = 0, value = 0, end = 0;  // in text_
  };
  void append_value(std::string_view annotation, const InternedStrings& interned, int depth);

  std::string text_;
  std::vector<Slot> slots_;
};

}  // namespace orrery::trace::pftrace
