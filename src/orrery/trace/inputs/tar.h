// SPDX-License-Identifier: Apache-2.0
//
// Tape archives: the old format, ustar, pax and GNU's long names. Nothing is extracted to disk;
// what a member is called is only a name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

/// Whether the content begins with an archive's header (whose checksum is right).
[[nodiscard]] bool looks_like_tar(std::string_view head);

/// A regular file in an archive.
struct TarMember {
  std::string name;
  std::uint64_t size = 0;
  bool sparse = false;  ///< stored with holes, which this program does not fill
};

/// Goes through an archive from its beginning.
class TarReader {
 public:
  /// `where` names the archive in errors. `archive` must outlive the reader.
  TarReader(ByteSource& archive, std::string where) : archive_(archive), where_(std::move(where)) {}

  /// The next regular file, or nothing at the end. The one before must be behind (`skip`). Errc:
  /// input_corrupt (also when the archive ends inside a header), input_truncated (inside a file
  /// that is skipped), limit_exceeded.
  [[nodiscard]] Result<std::optional<TarMember>> next();
  /// Bytes of the current member; 0 at its end. Errc: input_truncated when the archive ends before.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into);
  /// Goes behind the rest of the current member. Errc: as read.
  [[nodiscard]] Result<void> skip();

 private:
  struct Header;
  struct Pending;
  Result<bool> read_header(Header& header);
  Result<std::string> read_text(std::uint64_t size);
  Result<void> read_extended(const Header& header, Pending& pending);
  Result<void> skip_sparse_map(const Header& header);
  Result<std::size_t> fetch(std::span<std::byte> into);
  [[nodiscard]] tl::unexpected<Error> corrupt(std::string what) const;

  ByteSource& archive_;
  std::string where_;
  std::uint64_t offset_ = 0;   // in the archive
  std::uint64_t left_ = 0;     // of the current member's bytes
  std::uint64_t padding_ = 0;  // behind them
  bool ended_ = false;
};

/// The bytes of the archive's regular file number `index` (from 0). Errc: input_not_found,
/// input_unsupported, and those of TarReader.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_member(std::unique_ptr<ByteSource> archive,
                                                              std::string where,
                                                              std::uint64_t index);

}  // namespace orrery::trace
