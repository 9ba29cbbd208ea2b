// SPDX-License-Identifier: Apache-2.0
//
// The categories of records in a trace, under all names of the profiler's history.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "orrery/profile/profile.h"

namespace orrery::trace::kineto {

enum class Role : std::uint8_t {
  event,         ///< becomes an event of Category::kind
  forward_flow,  ///< forward operator → backward operator
  launch_flow,   ///< call → device work
  skipped,
  unknown  ///< depends on the record's contents
};

struct Category {
  std::string name;
  Role role = Role::unknown;
  profile::Kind kind = profile::Kind::annotation;
  std::uint64_t skipped = 0;  ///< records without a meaning in a profile
  std::uint64_t dropped = 0;  ///< incomplete records
};

/// The category named "cpu_op", "Operator" …; Role::unknown for other names.
[[nodiscard]] Category category_named(std::string_view name);

/// The categories of one trace.
class Categories {
 public:
  /// The category of a raw name; references stay valid.
  Category& of(std::string_view name) {
    if (last_ != nullptr && last_->name == name) return *last_;
    auto found = by_name_.find(std::string(name));
    if (found == by_name_.end())
      found = by_name_.emplace(std::string(name), category_named(name)).first;
    last_ = &found->second;
    return *last_;
  }
  [[nodiscard]] const std::unordered_map<std::string, Category>& all() const { return by_name_; }

 private:
  std::unordered_map<std::string, Category> by_name_;
  Category* last_ = nullptr;
};

}  // namespace orrery::trace::kineto
