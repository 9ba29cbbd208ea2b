// SPDX-License-Identifier: Apache-2.0
//
// Writes the pages of a database from front to back. The first page is written last, because it
// depends on all others.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::result {

inline constexpr std::size_t kPageBytes = 4096;
using Page = std::array<std::uint8_t, kPageBytes>;

/// SQLite does not use the page with byte 2^30, because it locks bytes of it. Pages count from 1.
inline constexpr std::uint32_t kLockPage = (1u << 30) / kPageBytes + 1;

/// An AtomicFile that is written in pages. commit() reports the first write error.
class PageFile {
 public:
  /// Errc: output_exists unless `force`, output_failed.
  [[nodiscard]] static Result<PageFile> create(const std::string& target, bool force,
                                               std::uint32_t lock_page = kLockPage);

  /// The number of the next page.
  [[nodiscard]] std::uint32_t next() const { return next_; }
  /// The number of the page after it.
  [[nodiscard]] std::uint32_t after_next() const {
    return next_ + (next_ + 1 == lock_page_ ? 2 : 1);
  }
  std::uint32_t append(const Page& page);
  [[nodiscard]] bool failed() const { return file_.failed(); }

  /// Writes page 1, then moves the file to its final path. Errc: output_exists (if a file appeared
  /// meanwhile) unless `force`, output_failed.
  [[nodiscard]] Result<void> commit(const Page& first);

 private:
  PageFile(AtomicFile file, std::uint32_t lock_page);
  void put(const Page& page);
  void flush();

  AtomicFile file_;
  std::uint32_t lock_page_;
  std::uint32_t next_ = 2;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace orrery::result
