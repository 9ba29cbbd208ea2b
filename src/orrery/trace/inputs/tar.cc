// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/tar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "orrery/trace/json/decimal.h"

namespace orrery::trace {
namespace {

constexpr std::size_t kBlock = 512;
// Maximum size of a long name, or of a set of pax records.
constexpr std::uint64_t kExtendedBytes = 1u << 20;
constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

std::string_view field(std::string_view block, std::size_t at, std::size_t size) {
  const std::string_view bytes = block.substr(at, size);
  return bytes.substr(0, std::min(bytes.find('\0'), bytes.size()));
}

/// Octal digits, or (first bit set) a binary number.
std::optional<std::uint64_t> number(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  std::uint64_t value = 0;
  if ((first & 0x80) != 0) {
    if (first != 0x80) return std::nullopt;  // negative, or beyond 64 bits
    for (const char c : bytes.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  std::size_t at = 0;
  while (at < bytes.size() && bytes[at] == ' ') ++at;
  for (; at < bytes.size() && bytes[at] >= '0' && bytes[at] <= '7'; ++at) {
    if (value >> 60 != 0) return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(bytes[at] - '0');
  }
  if (at < bytes.size() && bytes[at] != ' ' && bytes[at] != '\0') return std::nullopt;
  return value;
}

/// True if the checksum matches: the sum of the header's bytes, with blanks in place of the sum.
/// Some old programs add signed bytes.
bool has_valid_checksum(std::string_view block) {
  const std::optional<std::uint64_t> stated = number(block.substr(148, 8));
  std::int64_t plain = 8 * ' ';
  std::int64_t with_sign = plain;
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i >= 148 && i < 156) continue;
    plain += static_cast<unsigned char>(block[i]);
    with_sign += static_cast<signed char>(block[i]);
  }
  return stated && (static_cast<std::int64_t>(*stated) == plain ||
                    static_cast<std::int64_t>(*stated) == with_sign);
}

}  // namespace

bool looks_like_tar(std::string_view head) {
  return head.size() >= kBlock && head[0] != '\0' && has_valid_checksum(head.substr(0, kBlock));
}

struct TarReader::Header {
  std::array<char, kBlock> bytes;
  std::string name;
  std::uint64_t size = 0;
  char type = '0';
};

/// Values of extended headers for the next member.
struct TarReader::ExtendedHeader {
  std::string name;
  std::optional<std::uint64_t> size;
  bool sparse = false;
};

tl::unexpected<Error> TarReader::corrupt(std::string what) const {
  return fail(Errc::input_corrupt, fmt::format("{}:byte {}", where_, offset_), std::move(what));
}

/// Fills `into`, or less if the archive ends before.
Result<std::size_t> TarReader::fetch(std::span<std::byte> into) {
  std::size_t filled = 0;
  while (filled < into.size()) {
    auto got = archive_.read(into.subspan(filled));
    if (!got) return got;
    if (*got == 0) break;
    filled += *got;
    offset_ += *got;
  }
  return filled;
}

Result<std::size_t> TarReader::read(std::span<std::byte> into) {
  if (into.size() > remaining_) into = into.first(static_cast<std::size_t>(remaining_));
  if (into.empty()) return 0;
  auto got = archive_.read(into);
  if (!got) return got;
  if (*got == 0) {
    return fail(Errc::input_truncated, fmt::format("{}:byte {}", where_, offset_),
                fmt::format("the archive ends {} bytes before the end of this file", remaining_));
  }
  offset_ += *got;
  remaining_ -= *got;
  return got;
}

Result<void> TarReader::skip() {
  std::array<std::byte, 16 << 10> bytes;
  while (remaining_ > 0) {
    if (auto got = read(bytes); !got) return tl::unexpected(std::move(got.error()));
  }
  const std::size_t padding = static_cast<std::size_t>(std::exchange(padding_, 0));
  auto got = fetch(std::span(bytes).first(padding));
  if (!got) return tl::unexpected(std::move(got.error()));
  return {};
}

/// False at the end of the archive.
Result<bool> TarReader::read_header(Header& header) {
  auto got = fetch(std::as_writable_bytes(std::span(header.bytes)));
  if (!got) return tl::unexpected(std::move(got.error()));
  if (*got == 0) return false;
  if (*got < kBlock) return corrupt("the archive ends inside a header");
  const std::string_view block(header.bytes.data(), kBlock);
  if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return false;
  if (!has_valid_checksum(block)) return corrupt("a header of the archive is damaged");
  const std::optional<std::uint64_t> size = number(block.substr(124, 12));
  if (!size || *size > kMaxBytes) return corrupt("a header of the archive has an invalid size");
  header.size = *size;
  header.type = block[156];
  header.name = field(block, 0, 100);
  // POSIX archives split long names; GNU's format uses this field differently.
  if (block.substr(257, 6) == std::string_view("ustar\0", 6)) {
    const std::string_view prefix = field(block, 345, 155);
    if (!prefix.empty()) header.name = std::string(prefix) + "/" + header.name;
  }
  return true;
}

Result<std::string> TarReader::read_text(std::uint64_t size) {
  if (size > kExtendedBytes) {
    return fail(Errc::limit_exceeded, fmt::format("{}:byte {}", where_, offset_),
                fmt::format("an extended header of {} bytes", size));
  }
  remaining_ = size;
  padding_ = (kBlock - size % kBlock) % kBlock;
  std::string text(static_cast<std::size_t>(size), '\0');
  auto got = fetch(std::as_writable_bytes(std::span(text)));
  if (!got) return tl::unexpected(std::move(got.error()));
  if (*got < size) return corrupt("the archive ends inside a header");
  remaining_ = 0;
  if (auto behind = skip(); !behind) return tl::unexpected(std::move(behind.error()));
  return text;
}

/// Reads records like "27 path=some/where/file\n"; the number counts all bytes of the record.
Result<void> TarReader::read_extended(const Header& header, ExtendedHeader& extended) {
  auto text = read_text(header.size);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (header.type == 'L') {
    extended.name = text->substr(0, text->find('\0'));
    return {};
  }
  if (header.type != 'x') return {};
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::uint64_t length = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto digits = static_cast<std::size_t>(stop - rest.data());
    if (error != std::errc{} || length > rest.size() || length < digits + 3 || *stop != ' ' ||
        rest[length - 1] != '\n') {
      return corrupt("an extended header of the archive is damaged");
    }
    const std::string_view record = rest.substr(digits + 1, length - digits - 2);
    rest.remove_prefix(length);
    const std::size_t equals = std::min(record.find('='), record.size());
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(std::min(equals + 1, record.size()));
    if (key == "path") extended.name = value;
    if (key.substr(0, 11) == "GNU.sparse.") extended.sparse = true;
    if (key == "size") {
      const auto size = json::parse_number<std::uint64_t>(value);
      if (!size || *size > kMaxBytes) return corrupt("a header of the archive has an invalid size");
      extended.size = size;
    }
  }
  return {};
}

/// GNU's sparse files have further header blocks. Each shows whether another one follows.
Result<void> TarReader::skip_sparse_map(const Header& header) {
  bool more = header.type == 'S' && header.bytes[482] != 0;
  std::array<char, kBlock> block;
  while (more) {
    auto got = fetch(std::as_writable_bytes(std::span(block)));
    if (!got) return tl::unexpected(std::move(got.error()));
    if (*got < kBlock) return corrupt("the archive ends inside a header");
    more = block[504] != 0;
  }
  return {};
}

Result<std::optional<TarMember>> TarReader::next() {
  if (auto behind = skip(); !behind) return tl::unexpected(std::move(behind.error()));
  ExtendedHeader extended;
  Header header;
  while (!ended_) {
    auto there = read_header(header);
    if (!there) return tl::unexpected(std::move(there.error()));
    if (!*there) {
      ended_ = true;
      break;
    }
    const char type = header.type;
    if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
      if (auto done = read_extended(header, extended); !done)
        return tl::unexpected(std::move(done.error()));
      continue;
    }
    TarMember member{extended.name.empty() ? header.name : extended.name,
                     extended.size.value_or(header.size), extended.sparse || type == 'S'};
    // Links, folders and devices have no bytes, even if their headers state a size.
    const bool empty = type >= '1' && type <= '6';
    remaining_ = empty ? 0 : member.size;
    padding_ = (kBlock - remaining_ % kBlock) % kBlock;
    const bool old_folder = !member.name.empty() && member.name.back() == '/';
    if (auto map = skip_sparse_map(header); !map) return tl::unexpected(std::move(map.error()));
    const bool regular = type == '0' || type == '\0' || type == '7' || type == 'S';
    if (regular && !old_folder) return member;
    if (auto behind = skip(); !behind) return tl::unexpected(std::move(behind.error()));
    extended = {};
  }
  return std::nullopt;
}

namespace {

class MemberSource final : public ByteSource {
 public:
  MemberSource(std::unique_ptr<ByteSource> archive, std::string where)
      : archive_(std::move(archive)), tar_(*archive_, std::move(where)) {}

  Result<std::size_t> read(std::span<std::byte> into) override { return tar_.read(into); }
  [[nodiscard]] std::uint64_t size_hint() const override { return size_; }

  Result<void> find(std::uint64_t index, const std::string& where) {
    for (std::uint64_t i = 0;; ++i) {
      auto member = tar_.next();
      if (!member) return tl::unexpected(std::move(member.error()));
      if (!*member) {
        return fail(Errc::input_not_found, where, fmt::format("the archive has only {} files", i));
      }
      if (i < index) continue;
      if ((*member)->sparse) {
        return fail(Errc::input_unsupported, where, "is stored as a sparse file in the archive",
                    "extract it yourself and pass the file");
      }
      // Limits the header's size by the archive's size, which is unknown if it is compressed.
      size_ = std::min((*member)->size, archive_->size_hint());
      return {};
    }
  }

 private:
  std::unique_ptr<ByteSource> archive_;
  TarReader tar_;
  std::uint64_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_member(std::unique_ptr<ByteSource> archive,
                                                std::string where, std::uint64_t index) {
  auto member = std::make_unique<MemberSource>(std::move(archive), where);
  if (auto found = member->find(index, where); !found)
    return tl::unexpected(std::move(found.error()));
  return member;
}

}  // namespace orrery::trace
