// SPDX-License-Identifier: Apache-2.0
//
// The header of a trace: all top-level members except the events.
#pragma once

#include <cstdint>
#include <string_view>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/kineto/profile_builder.h"

namespace orrery::trace::kineto {

class TraceHeader {
 public:
  TraceHeader(profile::Profile& profile, Builder& builder, Findings& findings)
      : profile_(profile), builder_(builder), findings_(findings) {}

  /// Adds a top-level member: its raw key and the text of its value.
  void add(std::string_view key, std::string_view value);
  /// Time 0 of the events, in ns.
  [[nodiscard]] std::int64_t base_ns() const { return base_ns_; }

 private:
  void add_distributed(std::string_view value);
  void add_devices(std::string_view value);
  void add_fact(std::string_view key, std::string_view value);

  profile::Profile& profile_;
  Builder& builder_;
  Findings& findings_;
  std::int64_t base_ns_ = 0;
};

}  // namespace orrery::trace::kineto
