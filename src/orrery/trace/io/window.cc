// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/window.h"

#include <algorithm>
#include <cstring>

namespace orrery::trace {

Window::Window(ByteSource& source) : source_(source) {
  const std::uint64_t hint = source.size_hint();
  buffer_.resize(hint == 0
                     ? kBlock
                     : static_cast<std::size_t>(std::clamp<std::uint64_t>(hint + 16, 64, kBlock)));
}

Result<bool> Window::fill(std::size_t count) {
  while (size() < count && !at_end_) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, size());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == buffer_.size()) buffer_.resize(std::max(kBlock, 2 * buffer_.size()));
    auto got = source_.read({buffer_.data() + end_, buffer_.size() - end_});
    if (!got) {
      at_end_ = true;
      damage_ = std::move(got.error());
      break;
    }
    at_end_ = *got == 0;
    end_ += *got;
  }
  if (size() < count && damage_) return tl::unexpected(*damage_);
  return size() >= count;
}

}  // namespace orrery::trace
