// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/comm.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "orrery/profile/comm_names.h"

namespace orrery::profile {

std::string_view name(CommKind kind) {
  constexpr std::array<std::string_view, kCommKinds> kNames = {
      "unknown",    "all_reduce",     "reduce",  "all_gather", "gather", "scatter",   "broadcast",
      "all_to_all", "reduce_scatter", "barrier", "send",       "recv",   "coalesced", "wait"};
  return kNames[static_cast<std::size_t>(kind)];
}

CommKind coalesced_kind(std::string_view name) {
  std::string word(name);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kWord = "coalesced";
  for (std::size_t at = word.find(kWord); at != std::string::npos; at = word.find(kWord))
    word.erase(at, kWord.size());
  const CommKind kind = profile::comm_kind_of_name(word);
  return kind == CommKind::unknown ? CommKind::coalesced : kind;
}

std::int32_t element_bytes(std::string_view dtype) {
  const std::string word = normalized_name(dtype);
  constexpr std::array<std::pair<std::string_view, std::int32_t>, 21> kWidths = {{
      {"complexdouble", 16}, {"complexfloat", 8}, {"bfloat16", 2},
      {"float8", 1},         {"float16", 2},      {"float32", 4},
      {"float64", 8},        {"half", 2},         {"double", 8},
      {"float", 4},          {"int64", 8},        {"int32", 4},
      {"int16", 2},          {"uint8", 1},        {"int8", 1},
      {"long", 8},           {"short", 2},        {"byte", 1},
      {"char", 1},           {"bool", 1},         {"int", 4},
  }};
  for (const auto& [part, width] : kWidths) {
    if (word.find(part) != std::string::npos) return width;
  }
  return 0;
}

std::int64_t Comm::bytes() const {
  if (kind == CommKind::barrier) return 0;
  if (element_bytes <= 0) return -1;
  std::int64_t elements = in_elements;
  const bool either_side = kind == CommKind::broadcast || kind == CommKind::recv ||
                           kind == CommKind::scatter || kind == CommKind::coalesced;
  if (either_side) elements = std::max(in_elements, out_elements);
  if (elements < 0) elements = out_elements;
  std::int64_t bytes = 0;
  if (elements < 0 || __builtin_mul_overflow(elements, element_bytes, &bytes)) return -1;
  return bytes;
}

std::int64_t Comm::complete_bytes(CommKind as) const {
  std::int64_t complete = bytes();
  if (as != CommKind::all_gather || complete < 0) return complete;
  const bool has_output = out_elements >= 0;
  const std::int64_t count = has_output ? out_elements : group_size;
  if (count < 0 || __builtin_mul_overflow(count, has_output ? element_bytes : complete, &complete))
    return -1;
  return complete;
}

}  // namespace orrery::profile
