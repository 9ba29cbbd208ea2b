// SPDX-License-Identifier: Apache-2.0
//
// A store for many texts that are read rarely and never compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace orrery::profile {

/// Location of a text in a TextStore.
struct StoredText {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;
};

/// Appends texts to large blocks; each text lies in one block.
class TextStore {
 public:
  StoredText add(std::string_view text);
  [[nodiscard]] std::string_view view(StoredText text) const {
    if (text.size == 0) return {};
    return {blocks_[text.offset >> kShift].get() + (text.offset & (kBlock - 1)), text.size};
  }
  [[nodiscard]] std::size_t resident_bytes() const;

 private:
  static constexpr unsigned kShift = 22;
  // Bytes; longer texts are cut.
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << kShift;

  std::vector<std::unique_ptr<char[]>> blocks_;
  std::uint64_t used_ = 0;  // bytes of the last block
};

}  // namespace orrery::profile
