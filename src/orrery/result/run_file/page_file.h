// SPDX-License-Identifier: Apache-2.0
//
// The pages of a database that is being written, front to back. The first page comes last, when all
// is known that it has to say.
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

/// SQLite leaves the page that holds byte 2^30 alone (it locks bytes of it). Pages count from 1.
inline constexpr std::uint32_t kLockPage = (1u << 30) / kPageBytes + 1;

/// A AtomicFile in pages. Write errors are remembered and reported by `commit`.
class PageFile {
 public:
  /// Errc: output_exists unless `force`, output_failed.
  [[nodiscard]] static Result<PageFile> create(const std::string& target, bool force,
                                               std::uint32_t lock_page = kLockPage);

  /// The number that the next page will have.
  [[nodiscard]] std::uint32_t next() const { return next_; }
  /// … and the one after it.
  [[nodiscard]] std::uint32_t after_next() const {
    return next_ + (next_ + 1 == lock_page_ ? 2 : 1);
  }
  std::uint32_t append(const Page& page);
  [[nodiscard]] bool failed() const { return file_.failed(); }

  /// Writes page 1, then gives the file its name. Errc: output_exists (by now) unless `force`,
  /// output_failed.
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
