// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/comm_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace orrery::intake {
namespace {

using profile::CommKind;

constexpr std::array<std::string_view, 11> kLibraries = {
    "nccl", "rccl", "gloo", "mpi", "ucc", "hccl", "xccl", "ccl", "oneccl", "mtia", "smddp"};

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

}  // namespace

bool is_library_range(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon + 1 >= name.size() || name[colon + 1] == ':')
    return false;
  return std::find(kLibraries.begin(), kLibraries.end(), name.substr(0, colon)) != kLibraries.end();
}

CommKind coalesced_kind(std::string_view name) {
  std::string word(name);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::string_view kWord = "coalesced";
  for (std::size_t at = word.find(kWord); at != std::string::npos; at = word.find(kWord))
    word.erase(at, kWord.size());
  const CommKind kind = profile::comm_kind_named(word);
  return kind == CommKind::unknown ? CommKind::coalesced : kind;
}

std::int32_t peer_in_name(std::string_view name) {
  std::size_t arrow = name.find("->");
  if (arrow == std::string_view::npos) arrow = name.find("<-");
  if (arrow == std::string_view::npos) return -1;
  const std::string_view rest = name.substr(arrow + 2);
  std::int32_t peer = -1;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), peer);
  return error == std::errc{} && peer >= 0 ? peer : -1;
}

CommName comm_name(std::string_view name) {
  CommName out;
  out.library = is_library_range(name);
  out.dispatcher = starts_with(name, "c10d::") || starts_with(name, "_c10d_functional::") ||
                   starts_with(name, "c10d_functional::");
  out.record = name == "record_param_comms";
  out.kernel = profile::is_comm_kernel(name);
  if (!out.library && !out.dispatcher) return out;
  const std::string_view word = name.substr(name.find(':') + 1);
  out.kind = profile::comm_kind_named(word);
  if (out.kind == CommKind::coalesced) out.kind = coalesced_kind(word);
  const bool apart = out.kind == CommKind::all_gather || out.kind == CommKind::reduce_scatter ||
                     out.kind == CommKind::all_to_all || out.kind == CommKind::gather ||
                     out.kind == CommKind::scatter;
  out.input = apart && starts_with(name, "c10d::") ? 1 : 0;
  return out;
}

const CommName& CommNames::of(StringId name) {
  const auto index = static_cast<std::size_t>(name);
  if (index >= place_.size()) place_.resize(std::max(strings_.size(), index + 1), 0);
  if (place_[index] == 0) {
    known_.push_back(comm_name(strings_.view(name)));
    place_[index] = static_cast<std::uint32_t>(known_.size());
  }
  return known_[place_[index] - 1];
}

}  // namespace orrery::intake
