// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/memory_need.h"

#include <cstddef>

#include "orrery/core/enum_names.h"

namespace orrery {
namespace {

constexpr auto kFitNames = enumerator_names<MemoryFit::no>("fits", "may_not_fit", "does_not_fit");
constexpr auto kFitTexts = enumerator_names<MemoryFit::no>("fits", "may not fit", "does not fit");

}  // namespace

std::string_view name(MemoryFit fit) { return kFitNames[static_cast<std::size_t>(fit)]; }

std::string_view text(MemoryFit fit) { return kFitTexts[static_cast<std::size_t>(fit)]; }

MemoryFit memory_fit(const MemoryNeed& need, Bytes capacity) {
  if (need.upper <= capacity) return MemoryFit::yes;
  return need.lower <= capacity ? MemoryFit::uncertain : MemoryFit::no;
}

}  // namespace orrery
