// SPDX-License-Identifier: Apache-2.0
//
// Reads tar archives: the old format, ustar, pax and GNU's long names. Extracts nothing to disk;
// member names are used only as names.
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

/// True if the content begins with an archive header (its checksum is verified).
[[nodiscard]] bool looks_like_tar(std::string_view head);

/// A regular file in an archive.
struct TarMember {
  std::string name;
  std::uint64_t size = 0;
  bool sparse = false;  ///< stored with holes, which Orrery does not fill
};

/// Reads an archive from its beginning.
class TarReader {
 public:
  /// `where` names the archive in errors. `archive` must outlive the reader.
  TarReader(ByteSource& archive, std::string where) : archive_(archive), where_(std::move(where)) {}

  /// The next regular file, or nothing at the end. Call `skip` for the previous one first, unless
  /// it was read completely. Errc: input_corrupt (also if the archive ends inside a header),
  /// input_truncated (inside a file that is skipped), limit_exceeded.
  [[nodiscard]] Result<std::optional<TarMember>> next();
  /// Reads bytes of the current member; 0 at its end. Errc: input_truncated if the archive ends
  /// before.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> into);
  /// Skips the rest of the current member. Errc: as read.
  [[nodiscard]] Result<void> skip();

 private:
  struct Header;
  struct ExtendedHeader;
  Result<bool> read_header(Header& header);
  Result<std::string> read_text(std::uint64_t size);
  Result<void> read_extended(const Header& header, ExtendedHeader& extended);
  Result<void> skip_sparse_map(const Header& header);
  Result<std::size_t> fetch(std::span<std::byte> into);
  [[nodiscard]] tl::unexpected<Error> corrupt(std::string what) const;

  ByteSource& archive_;
  std::string where_;
  std::uint64_t offset_ = 0;     // in the archive
  std::uint64_t remaining_ = 0;  // remaining bytes of the current member
  std::uint64_t padding_ = 0;    // bytes after the current member
  bool ended_ = false;
};

/// The bytes of regular file number `index` (from 0) in the archive. Errc: input_not_found,
/// input_unsupported, and as TarReader.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_member(std::unique_ptr<ByteSource> archive,
                                                              std::string where,
                                                              std::uint64_t index);

}  // namespace orrery::trace
