// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/text_store.h"

#include <algorithm>
#include <cstring>

namespace orrery::profile {

StoredText TextStore::add(std::string_view text) {
  if (text.empty()) return {};
  text = text.substr(0, std::min<std::size_t>(text.size(), kBlock));
  if (blocks_.empty() || used_ + text.size() > kBlock) {
    blocks_.push_back(std::make_unique<char[]>(kBlock));
    used_ = 0;
  }
  std::memcpy(blocks_.back().get() + used_, text.data(), text.size());
  const StoredText place{(std::uint64_t{blocks_.size() - 1} << kShift) + used_,
                         static_cast<std::uint32_t>(text.size())};
  used_ += text.size();
  return place;
}

std::size_t TextStore::resident_bytes() const { return blocks_.size() * kBlock; }

}  // namespace orrery::profile
