// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/io/field_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace orrery::trace {
namespace {

using protozero::pbf_wire_type;

constexpr std::size_t kTwoVarints = 20;
/// A compiled program is the largest field that is viewed.
constexpr std::uint64_t kLargestView = std::uint64_t{512} << 20;
constexpr char kAdvice[] = "record again, or copy the file again";

}  // namespace

std::string FieldStream::place() const { return fmt::format("{}:byte {}", where_, offset()); }

void FieldStream::release() {
  window_.consume(static_cast<std::size_t>(taken_));
  taken_ = 0;
}

Result<std::optional<Field>> FieldStream::next(std::uint64_t end) {
  release();
  if (window_.offset() == end) return std::nullopt;
  const auto some = window_.need(kTwoVarints);
  if (!some && window_.size() == 0) return tl::unexpected(some.error());
  if (window_.size() == 0) {
    if (end == kToEndOfFile) return std::nullopt;
    return fail(Errc::input_truncated, place(), "the file ends inside a message", kAdvice);
  }
  const char* const begin = window_.text().data();
  const char* at = begin;
  const std::uint64_t remaining = end - window_.offset();
  const bool to_window = remaining > window_.size();
  const char* const limit = begin + (to_window ? window_.size() : remaining);
  Field field;
  try {
    const std::uint64_t tag = protozero::decode_varint(&at, limit);
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<pbf_wire_type>(tag & 7);
    const bool is_short =
        field.type == pbf_wire_type::fixed64 || field.type == pbf_wire_type::fixed32;
    if (field.type == pbf_wire_type::varint) {
      field.value = protozero::decode_varint(&at, limit);
    } else if (field.type == pbf_wire_type::length_delimited) {
      field.end = protozero::decode_varint(&at, limit);
    } else if (is_short) {
      const std::ptrdiff_t size = field.type == pbf_wire_type::fixed64 ? 8 : 4;
      if (limit - at < size) throw protozero::end_of_buffer_exception();
      at += size;
    }
    if (field.number == 0 || tag >> 3 > 0x1FFFFFFF ||
        (!is_short && field.type != pbf_wire_type::varint &&
         field.type != pbf_wire_type::length_delimited))
      return fail(Errc::input_corrupt, place(), "this is not a field of a message", kAdvice);
  } catch (const protozero::exception&) {
    // A full window holds the longest tag and number.
    if (to_window && window_.size() < kTwoVarints) {
      if (!some) return tl::unexpected(some.error());
      return fail(Errc::input_truncated, place(), "the file ends inside a message", kAdvice);
    }
    return fail(Errc::input_corrupt, place(), "a field ends after its message", kAdvice);
  }
  window_.consume(static_cast<std::size_t>(at - begin));
  if (field.type == pbf_wire_type::length_delimited) {
    if (field.end > end - window_.offset()) {
      return fail(Errc::input_corrupt, place(),
                  fmt::format("a field claims {} bytes, more than its message has", field.end),
                  kAdvice);
    }
    field.end += window_.offset();
  }
  return field;
}

Result<void> FieldStream::skip(const Field& field) {
  release();
  if (field.type != pbf_wire_type::length_delimited) return {};
  while (window_.offset() < field.end) {
    const auto some = window_.need(1);
    if (!some) return tl::unexpected(some.error());
    if (!*some)
      return fail(Errc::input_truncated, place(), "the file ends inside a message", kAdvice);
    window_.consume(static_cast<std::size_t>(
        std::min<std::uint64_t>(window_.size(), field.end - window_.offset())));
  }
  return {};
}

Result<std::string_view> FieldStream::view(const Field& field) {
  release();
  const std::uint64_t size = field.end - window_.offset();
  if (size > kLargestView) {
    return fail(Errc::limit_exceeded, place(),
                fmt::format("a field claims {} bytes; the limit is {}", size, kLargestView),
                kAdvice);
  }
  const auto there = window_.need(static_cast<std::size_t>(size));
  if (!there) return tl::unexpected(there.error());
  if (!*there)
    return fail(Errc::input_truncated, place(), "the file ends inside a message", kAdvice);
  taken_ = size;
  return window_.text().substr(0, static_cast<std::size_t>(size));
}

Result<std::string_view> FieldStream::peek(std::size_t count) {
  release();
  const auto some = window_.need(count);
  if (!some) return tl::unexpected(some.error());
  return window_.text().substr(0, count);
}

}  // namespace orrery::trace
