// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/program/program.h"

#include <algorithm>
#include <array>

namespace orrery::hlo {

namespace {

using graph::Format;

struct TypeRow {
  ElementType type;
  std::string_view hlo, mlir;
  int bits;
  Format format;
};

/// Names: xla/primitive_util.cc of OpenXLA; types of MLIR's builtin dialect. A predicate takes a
/// byte in memory.
constexpr std::array kTypes = {
    TypeRow{ElementType::token, "token", "!stablehlo.token", 0, Format::unsaid},
    TypeRow{ElementType::pred, "pred", "i1", 8, Format::int8},
    TypeRow{ElementType::s4, "s4", "i4", 4, Format::unsaid},
    TypeRow{ElementType::s8, "s8", "i8", 8, Format::int8},
    TypeRow{ElementType::s16, "s16", "i16", 16, Format::unsaid},
    TypeRow{ElementType::s32, "s32", "i32", 32, Format::int32},
    TypeRow{ElementType::s64, "s64", "i64", 64, Format::int64},
    TypeRow{ElementType::u4, "u4", "ui4", 4, Format::unsaid},
    TypeRow{ElementType::u8, "u8", "ui8", 8, Format::int8},
    TypeRow{ElementType::u16, "u16", "ui16", 16, Format::unsaid},
    TypeRow{ElementType::u32, "u32", "ui32", 32, Format::int32},
    TypeRow{ElementType::u64, "u64", "ui64", 64, Format::int64},
    TypeRow{ElementType::bf16, "bf16", "bf16", 16, Format::bf16},
    TypeRow{ElementType::f16, "f16", "f16", 16, Format::fp16},
    TypeRow{ElementType::f32, "f32", "f32", 32, Format::fp32},
    TypeRow{ElementType::f64, "f64", "f64", 64, Format::fp64},
    TypeRow{ElementType::c64, "c64", "complex<f32>", 64, Format::fp32},
    TypeRow{ElementType::c128, "c128", "complex<f64>", 128, Format::fp64},
    TypeRow{ElementType::f8, "f8", "f8", 8, Format::fp8},
    TypeRow{ElementType::f4, "f4", "f4", 4, Format::fp4_block},
    TypeRow{ElementType::s64, "s64", "index", 64, Format::int64}};

const TypeRow* row_of(ElementType type) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& row) { return row.type == type; });
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace

std::string_view name(ElementType type) {
  const TypeRow* const row = row_of(type);
  return row == nullptr ? std::string_view{} : row->hlo;
}

int bits_of(ElementType type) {
  const TypeRow* const row = row_of(type);
  return row == nullptr ? 0 : row->bits;
}

graph::Format format_of(ElementType type) {
  const TypeRow* const row = row_of(type);
  return row == nullptr ? Format::unsaid : row->format;
}

ElementType element_type_of(std::string_view word) {
  for (const TypeRow& row : kTypes)
    if (word == row.hlo || word == row.mlir) return row.type;
  // All formats of 8 and 4 bits: f8E4M3FN, f8e5m2fnuz, f8E8M0FNU, f4E2M1FN.
  if (word.starts_with("f8")) return ElementType::f8;
  if (word.starts_with("f4")) return ElementType::f4;
  if (word == "tf32") return ElementType::f32;
  return ElementType::other;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  if (__builtin_mul_overflow(a, b, &value)) return kMostWork;
  return std::min(value, kMostWork);
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) { return std::min(a + b, kMostWork); }

std::int64_t Shape::elements() const {
  std::int64_t count = 1;
  if (is_tuple()) {
    count = 0;
    for (const Shape& part : parts) count = saturating_sum(count, part.elements());
    return count;
  }
  if (bits_of(type) == 0) return 0;
  for (const std::int64_t dim : dims) count = saturating_product(count, dim < 0 ? 1 : dim);
  return count;
}

std::int64_t Shape::bytes() const {
  if (is_tuple()) {
    std::int64_t sum = 0;
    for (const Shape& part : parts) sum = saturating_sum(sum, part.bytes());
    return sum;
  }
  const std::int64_t count = elements();
  const int bits = bits_of(type);
  return bits >= 8 ? saturating_product(count, bits / 8)
                   : (count + 8 / std::max(bits, 1) - 1) * bits / 8;
}

}  // namespace orrery::hlo
