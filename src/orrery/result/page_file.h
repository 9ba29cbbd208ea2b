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

namespace orrery::result {

inline constexpr std::size_t kPageBytes = 4096;
using Page = std::array<std::uint8_t, kPageBytes>;

/// SQLite leaves the page that holds byte 2^30 alone (it locks bytes of it). Pages count from 1.
inline constexpr std::uint32_t kLockPage = (1u << 30) / kPageBytes + 1;

/// A temporary beside its target; without `commit` it goes away. Write errors are remembered and
/// reported by `commit`.
class PageFile {
 public:
  /// Errc: output_failed.
  [[nodiscard]] static Result<PageFile> create(const std::string& target,
                                               std::uint32_t lock_page = kLockPage);
  PageFile(PageFile&& other) noexcept;
  PageFile& operator=(PageFile&&) = delete;
  ~PageFile();

  /// The number that the next page will have.
  [[nodiscard]] std::uint32_t next() const { return next_; }
  /// … and the one after it.
  [[nodiscard]] std::uint32_t after_next() const {
    return next_ + (next_ + 1 == lock_page_ ? 2 : 1);
  }
  std::uint32_t append(const Page& page);
  [[nodiscard]] bool failed() const { return error_ != 0; }

  /// Writes page 1, then gives the file its name. Errc: output_exists unless `force`,
  /// output_failed.
  [[nodiscard]] Result<void> commit(const Page& first, bool force);

 private:
  PageFile(std::string target, std::uint32_t lock_page);
  void put(const Page& page);
  void flush();
  [[nodiscard]] tl::unexpected<Error> refuse(int error) const;

  std::string target_;
  std::string temporary_;
  std::uint32_t lock_page_;
  std::uint32_t next_ = 2;
  int fd_ = -1;
  int error_ = 0;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace orrery::result
