// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/comm_names.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "orrery/profile/comm_names.h"

namespace orrery::intake {
using profile::CommKind;

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
  out.is_library_range = profile::is_library_range(name);
  out.is_dispatcher = profile::is_framework_communication(name);
  out.is_record = name == "record_param_comms";
  out.is_kernel = profile::is_comm_kernel(name);
  if (!out.is_library_range && !out.is_dispatcher) return out;
  const std::string_view word = name.substr(name.find(':') + 1);
  out.kind = profile::comm_kind_of_name(word);
  if (out.kind == CommKind::coalesced) out.kind = profile::coalesced_kind(word);
  const bool has_output_first = out.kind == CommKind::all_gather ||
                                out.kind == CommKind::reduce_scatter ||
                                out.kind == CommKind::all_to_all || out.kind == CommKind::gather ||
                                out.kind == CommKind::scatter;
  out.input_argument = has_output_first && name.starts_with("c10d::") ? 1 : 0;
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
