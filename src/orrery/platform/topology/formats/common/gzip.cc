// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "orrery/core/limits.h"

namespace orrery::platform {
namespace {

/// A member's stream, closed whatever happens.
class GzipMember {
 public:
  GzipMember() { open_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  GzipMember(const GzipMember&) = delete;
  GzipMember& operator=(const GzipMember&) = delete;
  ~GzipMember() {
    if (open_) inflateEnd(&stream_);
  }
  [[nodiscard]] bool open() const { return open_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool open_ = false;
};

Result<void> check_growth(std::size_t out, std::size_t in, const std::string& where) {
  if (out <= limits::kFabricBytes &&
      (out <= limits::kInflateFloor || out / limits::kInflateRatio <= in))
    return {};
  return fail(Errc::limit_exceeded, where,
              fmt::format("expands from {} to more than {} bytes when decompressed", in, out),
              "decompress it yourself if you trust it");
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

Result<std::string> gunzip(std::string_view bytes, const std::string& where) {
  std::string out;
  std::vector<Bytef> block(1 << 16);
  std::string_view rest = bytes;
  while (is_gzip(rest)) {
    GzipMember member;
    if (!member.open()) return fail(Errc::input_read, where, "cannot start to inflate");
    z_stream& stream = member.stream();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(rest.size(), 1u << 30));
    int status = Z_OK;
    while (status == Z_OK) {
      stream.next_out = block.data();
      stream.avail_out = static_cast<uInt>(block.size());
      status = inflate(&stream, Z_NO_FLUSH);
      out.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
      if (auto fits = check_growth(out.size(), bytes.size(), where); !fits)
        return tl::unexpected(fits.error());
    }
    if (status == Z_BUF_ERROR)
      return fail(Errc::input_truncated, where, "the compressed data is truncated");
    if (status != Z_STREAM_END)
      return fail(Errc::input_corrupt, where,
                  fmt::format("broken gzip data: {}",
                              stream.msg != nullptr ? stream.msg : "cannot be inflated"));
    rest.remove_prefix(rest.size() - stream.avail_in);
  }
  // Zeros are padding, as tape archives leave it.
  if (rest.find_first_not_of('\0') != std::string_view::npos)
    return fail(Errc::input_corrupt, where, "broken gzip data: other data follows it");
  return out;
}

}  // namespace orrery::platform
