// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/strings.h"

namespace orrery {

StringId StringPool::intern(std::string_view text) {
  if (text.empty()) return StringId::empty;
  const auto [number, added] = numbers_.find_or_add(
      text, [&](std::uint32_t known) -> const std::string& { return strings_[known]; });
  if (added) {
    strings_.emplace_back(text);
    text_bytes_ += text.size();
  }
  return static_cast<StringId>(number);
}

}  // namespace orrery
