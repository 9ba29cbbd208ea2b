// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "orrery/core/text/text.h"
#include "orrery/trace/indices/index_formats.h"

namespace orrery::trace {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 1u << 16;

/// The bytes as a little-endian or big-endian number.
std::uint64_t number_in(std::span<const std::byte> bytes, bool big_end_first) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t at = big_end_first ? i : bytes.size() - 1 - i;
    value = value << 8 | static_cast<std::uint64_t>(bytes[at]);
  }
  return value;
}

/// The value after 'key': in the header's dictionary, up to the comma or bracket that ends it.
std::optional<std::string_view> entry_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of(" :");
  if (begin == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(begin);
  const bool tuple = rest.front() == '(';
  const std::size_t end = tuple ? rest.find(')') : rest.find_first_of(",}");
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end + (tuple ? 1 : 0));
}

/// The layout of the numbers in the file.
struct NpyLayout {
  std::size_t width = 0;
  bool is_signed = true, big_end_first = false;
  std::uint64_t count = 0;
};

Result<NpyLayout> layout_of(std::string_view header, const std::string& where) {
  const auto type = entry_of(header, "'descr'"), shape = entry_of(header, "'shape'");
  if (!type || !shape)
    return fail(Errc::input_corrupt, where, "an array whose header has no type or no shape");
  NpyLayout layout;
  const std::string_view word = *type;  // '<i8'
  if (word.size() != 5 || word.front() != '\'' || word.back() != '\'' ||
      (word[2] != 'i' && word[2] != 'u') || (word[3] != '4' && word[3] != '8') ||
      std::string_view("<>=|").find(word[1]) == std::string_view::npos)
    return fail(
        Errc::input_unsupported, where,
        fmt::format("an array of {}, but must be an array of whole numbers", in_quotes(word)),
        "convert it: numpy.save(file, array.astype('int64'))");
  layout.big_end_first = word[1] == '>';
  layout.is_signed = word[2] == 'i';
  layout.width = static_cast<std::size_t>(word[3] - '0');
  // "(12,)"
  const bool tuple = shape->size() > 2 && shape->front() == '(' && shape->back() == ')';
  const std::string_view sizes = tuple ? shape->substr(1, shape->size() - 2) : std::string_view();
  const std::size_t comma = sizes.find(',');
  if (comma == std::string_view::npos ||
      sizes.find_first_not_of(' ', comma + 1) != std::string_view::npos)
    return fail(Errc::input_unsupported, where, "an array that is not one-dimensional",
                "flatten it: numpy.save(file, array.ravel())");
  const auto [end, error] = std::from_chars(sizes.data(), sizes.data() + comma, layout.count);
  if (error != std::errc() || end != sizes.data() + comma)
    return fail(Errc::input_corrupt, where, "an array whose shape is not a number");
  if (layout.count > kMaximumIndices)
    return fail(Errc::limit_exceeded, where, fmt::format("more than {} numbers", kMaximumIndices),
                "pass one batch, or one table, at a time");
  return layout;
}

Result<void> need_npy(Window& window, std::size_t bytes, const std::string& where) {
  const Result<bool> there = window.need(bytes);
  if (!there) return tl::unexpected(there.error());
  if (!*there) return fail(Errc::input_truncated, where, "ends inside an array");
  return {};
}

/// Consumes magic, version and header.
Result<NpyLayout> take_header(Window& window, const std::string& where) {
  if (auto fine = need_npy(window, 10, where); !fine) return tl::unexpected(fine.error());
  const auto version = static_cast<unsigned>(window.data()[6]);
  if (version < 1 || version > 3)
    return fail(Errc::input_unsupported, where,
                fmt::format("version {} of NumPy's format is not supported; use 1 to 3", version));
  const std::size_t digits = version == 1 ? 2 : 4, begin = 8 + digits;
  if (auto fine = need_npy(window, begin, where); !fine) return tl::unexpected(fine.error());
  const std::uint64_t length = number_in(window.ahead().subspan(8, digits), false);
  if (length > kMaxHeader) return fail(Errc::limit_exceeded, where, "a header longer than 64 KiB");
  if (auto fine = need_npy(window, begin + length, where); !fine)
    return tl::unexpected(fine.error());
  const auto layout = layout_of(window.text().substr(begin, length), where);
  if (layout) window.consume(begin + length);
  return layout;
}

}  // namespace

bool is_npy(std::string_view head) { return head.starts_with(kNpyMagic); }

Result<std::vector<std::int64_t>> read_npy(Window& window, const std::string& where) {
  const auto layout = take_header(window, where);
  if (!layout) return tl::unexpected(layout.error());
  std::vector<std::int64_t> numbers;
  for (std::uint64_t done = 0; done < layout->count;) {
    const std::uint64_t some = std::min<std::uint64_t>(layout->count - done, 1u << 14);
    if (auto fine = need_npy(window, some * layout->width, where); !fine)
      return tl::unexpected(fine.error());
    for (std::uint64_t i = 0; i < some; ++i) {
      const std::uint64_t raw = number_in(window.ahead().subspan(i * layout->width, layout->width),
                                          layout->big_end_first);
      const std::uint64_t sign = 1ull << (8 * layout->width - 1);
      if ((raw & sign) != 0 && (layout->is_signed || layout->width == 8))
        return fail(Errc::input_range, fmt::format("{}:number {}", where, done + i),
                    "is negative, or too large for an index");
      numbers.push_back(static_cast<std::int64_t>(raw));
    }
    window.consume(some * layout->width);
    done += some;
  }
  const Result<bool> more = window.need(1);
  if (!more) return tl::unexpected(more.error());
  if (*more) return fail(Errc::input_corrupt, where, "contains data after the array");
  return numbers;
}

}  // namespace orrery::trace
