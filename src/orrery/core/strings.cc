// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/strings.h"

namespace orrery {

StringId StringPool::intern(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<StringId>(strings_.size());
  const std::string& retained = strings_.emplace_back(text);
  ids_.emplace(retained, id);
  text_bytes_ += text.size();
  return id;
}

}  // namespace orrery
