// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/comm.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace orrery::profile {
namespace {

/// Lower case, letters and digits only: "_allgather_base" and "ALL-GATHER" become equal.
std::string normalized(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view name(CommKind kind) {
  constexpr std::array<std::string_view, kCommKinds> kNames = {
      "unknown",    "all_reduce",     "reduce",  "all_gather", "gather", "scatter",   "broadcast",
      "all_to_all", "reduce_scatter", "barrier", "send",       "recv",   "coalesced", "wait"};
  return kNames[static_cast<std::size_t>(kind)];
}

CommKind comm_kind_of_name(std::string_view text) {
  // Only the part before the arguments: a kernel's parameters may contain any word.
  const std::string word = normalized(text.substr(0, text.find('(')));
  // SendRecv kernels execute all-to-alls as well as sends and receives.
  if (has(word, "sendrecv")) return CommKind::unknown;
  // Kernels of DeepEP for mixtures of experts.
  if (has(word, "deepep") && has(word, "notify")) return CommKind::barrier;
  if (has(word, "deepep") && (has(word, "dispatch") || has(word, "combine")))
    return CommKind::all_to_all;
  constexpr std::array<std::pair<std::string_view, CommKind>, 16> kWords = {{
      {"crossdevicereduce", CommKind::all_reduce},  // vLLM's custom all-reduce
      {"quickreduce", CommKind::all_reduce},
      {"coalesced", CommKind::coalesced},
      {"reducescatter", CommKind::reduce_scatter},
      {"allreduce", CommKind::all_reduce},
      {"allgather", CommKind::all_gather},
      {"alltoall", CommKind::all_to_all},
      {"broadcast", CommKind::broadcast},
      {"barrier", CommKind::barrier},
      {"gather", CommKind::gather},
      {"scatter", CommKind::scatter},
      {"reduce", CommKind::reduce},
      {"recv", CommKind::recv},
      {"receive", CommKind::recv},
      {"send", CommKind::send},
      {"wait", CommKind::wait},
  }};
  for (const auto& [part, kind] : kWords) {
    if (has(word, part)) return kind;
  }
  return CommKind::unknown;
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

bool is_comm_kernel(std::string_view name) {
  const std::string word = normalized(name.substr(0, 40));
  for (const std::string_view part :
       {"ncclkernel", "nccldevkernel", "rcclkernel", "rccldevkernel", "rcclgeneric", "hcclkernel",
        "mscclkernel", "mscclpp", "nvshmem", "deepep", "dpskep", "crossdevicereduce", "quickreduce",
        "oneshotallreduce", "twoshotallreduce"}) {
    if (has(word, part)) return true;
  }
  return false;
}

std::int32_t element_bytes(std::string_view dtype) {
  const std::string word = normalized(dtype);
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
    if (has(word, part)) return width;
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

}  // namespace orrery::profile
