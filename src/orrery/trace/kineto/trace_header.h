// SPDX-License-Identifier: Apache-2.0
//
// What stands in a trace beside its events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/kineto/profile_builder.h"

namespace orrery::trace::kineto {

class TraceHeader {
 public:
  TraceHeader(profile::Profile& profile, Builder& builder, Findings& findings)
      : profile_(profile), builder_(builder), findings_(findings) {}

  /// A top-level member: its raw key and its value's text.
  void add(std::string_view key, std::string_view value);
  /// What the times of events count from.
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
