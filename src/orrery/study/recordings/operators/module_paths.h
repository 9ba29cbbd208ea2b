// SPDX-License-Identifier: Apache-2.0
//
// The modules of a model in which recorded events happened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/profile/profile.h"

namespace orrery::study {

/// What shows the modules of a recording.
enum class ModuleSource : std::uint8_t {
  frames,       ///< frames of Python functions, "nn.Module: Linear_3" (with_stack)
  annotations,  ///< ranges of the user or the framework
  none
};
/// "frames of torch.nn modules" …
[[nodiscard]] std::string_view name(ModuleSource source);

/// One module at its place in the tree.
struct ModuleNode {
  std::uint32_t parent = 0;  ///< in ModulePaths::nodes(); of the root: itself
  std::uint32_t depth = 0;   ///< of the root: 0
  std::string name;          ///< without "nn.Module: "; of the root: empty
  std::uint64_t calls = 0;   ///< frames or ranges
};

/// Calls of one module at one place are one node. Backward operators are in the module of their
/// forward operator (by the profiler's flows, else by sequence number).
class ModulePaths {
 public:
  /// O(events log events). `profile` is indexed and attached.
  explicit ModulePaths(const profile::Profile& profile);

  [[nodiscard]] ModuleSource source() const { return source_; }
  /// The first is the root. Parents stand before their children, children in order of appearance.
  [[nodiscard]] const std::vector<ModuleNode>& nodes() const { return nodes_; }
  /// The innermost module of a host event; 0: outside of all modules.
  [[nodiscard]] std::uint32_t of(profile::EventId event) const { return of_event_[event].node; }
  /// Whether the event computes gradients of that module.
  [[nodiscard]] bool is_backward(profile::EventId event) const { return of_event_[event].backward; }

 private:
  struct Place {
    std::uint32_t node = 0;
    bool backward = false;
  };
  class Builder;

  ModuleSource source_ = ModuleSource::none;
  std::vector<ModuleNode> nodes_{1};
  std::vector<Place> of_event_;
};

}  // namespace orrery::study
