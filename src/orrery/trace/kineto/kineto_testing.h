// SPDX-License-Identifier: Apache-2.0
//
// For tests: reads traces from text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "orrery/trace/kineto/reader.h"

namespace orrery::trace::kineto::testing {

/// The result of reading a trace.
struct Outcome {
  Result<profile::Profile> profile;
  Findings findings;

  /// The first event of that name; kNoEvent if there is none.
  [[nodiscard]] profile::EventId event(std::string_view name) const {
    for (profile::EventId e = 0; e < profile->events.size(); ++e)
      if (profile->name(e) == name) return e;
    return profile::kNoEvent;
  }
  [[nodiscard]] const profile::Event& operator[](std::string_view name) const {
    return profile->events[event(name)];
  }
  [[nodiscard]] std::uint64_t left_out(std::string_view category) const {
    for (const auto& [name, count] : profile->account.left_out)
      if (name == category) return count;
    return 0;
  }
};

inline Outcome read(std::string_view text) {
  Outcome out{fail(Errc::input_empty, "", ""), {}};
  auto source = std::make_unique<MemorySource>(std::as_bytes(std::span(text.data(), text.size())));
  out.profile =
      kineto::read(std::move(source), {"t.json", std::make_shared<StringPool>()}, out.findings);
  return out;
}

/// A trace with these events; `head` comes before them.
inline std::string trace(std::string_view events, std::string_view head = "") {
  return "{" + std::string(head) + "\"traceEvents\": [" + std::string(events) + "]}";
}

/// A complete event ("X").
inline std::string complete(std::string_view name, std::string_view category, double start,
                            double duration, std::string_view args = "{}", int process = 10,
                            int thread = 10) {
  return "{\"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": \"" +
         std::string(name) + "\", \"pid\": " + std::to_string(process) +
         ", \"tid\": " + std::to_string(thread) + ", \"ts\": " + std::to_string(start) +
         ", \"dur\": " + std::to_string(duration) + ", \"args\": " + std::string(args) + "}";
}

}  // namespace orrery::trace::kineto::testing
