// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/text/hlo_attributes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/hlo/text/cursor.h"

namespace orrery::hlo {

namespace {

/// "3x3" as numbers.
std::vector<std::int64_t> by_x(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::size_t x = std::min(text.find('x'), text.size());
    const auto found = integers_in(text.substr(0, x));
    numbers.push_back(found.empty() ? 0 : found.front());
    text.remove_prefix(std::min(x + 1, text.size()));
  }
  return numbers;
}

/// The value of a key in "{size=3x3 pad=1_1x1_1}".
std::string_view in_window(std::string_view window, std::string_view key) {
  for (std::size_t at = window.find(key); at != window.npos; at = window.find(key, at + 1)) {
    const char before = at == 0 ? ' ' : window[at - 1];
    if ((before != ' ' && before != '{') || window.substr(at + key.size(), 1) != "=") continue;
    const std::string_view value = window.substr(at + key.size() + 1);
    return value.substr(0, value.find_first_of(" }"));
  }
  return {};
}

std::vector<WindowDim> window_of(std::string_view text) {
  std::vector<WindowDim> dims;
  for (const std::int64_t size : by_x(in_window(text, "size"))) dims.push_back({.size = size});
  const auto set = [&](std::string_view key, std::int64_t WindowDim::*member) {
    const auto values = by_x(in_window(text, key));
    for (std::size_t i = 0; i < std::min(values.size(), dims.size()); ++i)
      dims[i].*member = values[i];
  };
  set("stride", &WindowDim::stride);
  set("lhs_dilate", &WindowDim::base_dilation);
  set("rhs_dilate", &WindowDim::window_dilation);
  std::string_view pads = in_window(text, "pad");
  for (std::size_t i = 0; i < dims.size() && !pads.empty(); ++i) {
    const std::size_t x = std::min(pads.find('x'), pads.size());
    const std::string_view pair = pads.substr(0, x);
    const std::size_t middle = std::min(pair.find('_'), pair.size());
    const auto low = integers_in(pair.substr(0, middle));
    const auto high = integers_in(pair.substr(std::min(middle + 1, pair.size())));
    if (!low.empty()) dims[i].pad_low = low.front();
    if (!high.empty()) dims[i].pad_high = high.front();
    pads.remove_prefix(std::min(x + 1, pads.size()));
  }
  return dims;
}

/// "b01f_01io->b01f".
std::optional<ConvolutionDims> convolution_of(std::string_view labels) {
  const std::size_t first = labels.find('_'), second = labels.find("->");
  if (first == labels.npos || second == labels.npos || second < first) return {};
  ConvolutionDims dims;
  const auto take = [](std::string_view side, char a, char b, std::int64_t& batch,
                       std::int64_t& feature, std::vector<std::int64_t>& spatial) {
    for (std::size_t i = 0; i < side.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      if (side[i] == a)
        batch = place;
      else if (side[i] == b)
        feature = place;
      else if (side[i] >= '0' && side[i] <= '9') {
        const auto number = static_cast<std::size_t>(side[i] - '0');
        if (spatial.size() <= number) spatial.resize(number + 1, 0);
        spatial[number] = place;
      }
    }
  };
  take(labels.substr(0, first), 'b', 'f', dims.input_batch, dims.input_feature, dims.input_spatial);
  take(labels.substr(first + 1, second - first - 1), 'i', 'o', dims.kernel_input,
       dims.kernel_output, dims.kernel_spatial);
  take(labels.substr(second + 2), 'b', 'f', dims.output_batch, dims.output_feature,
       dims.output_spatial);
  return dims;
}

/// Groups as lists in braces.
std::vector<std::vector<std::int64_t>> listed_groups(std::string_view text) {
  std::vector<std::vector<std::int64_t>> groups;
  text.remove_prefix(std::min<std::size_t>(1, text.size()));
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{')) {
    const std::size_t close = text.find('}', open);
    if (close == text.npos) break;
    groups.push_back(integers_in(text.substr(open, close - open)));
    text.remove_prefix(close + 1);
  }
  return groups;
}

ReplicaGroups groups_of(const HloAttributes& attributes, const Instruction& op) {
  ReplicaGroups made;
  made.groups = hlo_groups(attributes.find("replica_groups"));
  for (const auto& pair : listed_groups(attributes.find("source_target_pairs")))
    if (pair.size() == 2) made.pairs.emplace_back(pair[0], pair[1]);
  made.ids = group_ids_of(*op.opcode, attributes.find("use_global_device_ids") == "true",
                          !attributes.find("channel_id").empty());
  return made;
}

/// "known_trip_count":{"n":"24"} of a loop's backend configuration.
std::optional<std::int64_t> trip_count(std::string_view config) {
  const std::size_t at = config.find("known_trip_count");
  if (at == config.npos) return {};
  std::string digits;
  for (std::size_t i = at; i < config.size() && config[i] != '}'; ++i)
    if (config[i] >= '0' && config[i] <= '9') digits += config[i];
  const auto number = integers_in(digits);
  if (number.empty()) return {};
  return number.front();
}

}  // namespace

std::string_view HloAttributes::find(std::string_view key) const {
  for (const auto& [name, value] : all_)
    if (name == key) return value;
  return {};
}

std::vector<std::string_view> HloAttributes::called() const {
  std::vector<std::string_view> names;
  constexpr std::string_view kKeys[] = {"condition",
                                        "body",
                                        "calls",
                                        "true_computation",
                                        "false_computation",
                                        "to_apply",
                                        "branch_computations",
                                        "called_computations"};
  for (const std::string_view key : kKeys) {
    std::string_view value = find(key);
    if (value.empty()) continue;
    if (!value.starts_with('{')) {
      names.push_back(value.starts_with('%') ? value.substr(1) : value);
      continue;
    }
    Cursor list(value.substr(1, value.size() - 2));
    while (!list.done()) {
      const std::string_view name = list.peek() == '%' ? list.name_after_sigil() : list.word(true);
      if (name.empty()) break;
      names.push_back(name);
      list.take(",");
    }
  }
  return names;
}

GroupIds group_ids_of(const Opcode& opcode, bool global, bool has_channel) {
  if (global) return GroupIds::devices;
  if (!has_channel) return GroupIds::replicas;
  const std::string_view name = opcode.name;
  const bool mixed = name.starts_with("all_reduce") || name.starts_with("all_gather") ||
                     name.starts_with("reduce_scatter");
  return mixed ? GroupIds::replicas_partitions : GroupIds::partitions;
}

std::vector<std::vector<std::int64_t>> hlo_groups(std::string_view text) {
  const std::size_t arrow = text.find("<=");
  if (arrow == text.npos) return listed_groups(text);
  const std::vector<std::int64_t> shape = integers_in(text.substr(0, arrow));
  const std::size_t transpose = std::min(text.find("]T("), text.size());
  const std::vector<std::int64_t> dims = integers_in(text.substr(arrow, transpose - arrow));
  std::vector<std::int64_t> order = integers_in(text.substr(transpose));
  if (order.empty()) {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::int64_t devices = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 1) return {};
    devices = saturating_product(devices, dim);
  }
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || order.size() != dims.size() ||
      devices > static_cast<std::int64_t>(limits::kRanks) ||
      saturating_product(shape[0], shape[1]) != devices)
    return {};
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  for (const std::int64_t each : order)
    if (each < 0 || each >= static_cast<std::int64_t>(dims.size())) return {};
  std::vector<std::vector<std::int64_t>> groups(static_cast<std::size_t>(shape[0]));
  for (std::int64_t i = 0; i < devices; ++i) {
    // Digits of i in the transposed order, the last fastest.
    std::int64_t rest = i, device = 0;
    for (std::size_t d = order.size(); d-- > 0;) {
      const auto axis = static_cast<std::size_t>(order[d]);
      device += rest % dims[axis] * strides[axis];
      rest /= dims[axis];
    }
    groups[static_cast<std::size_t>(i / shape[1])].push_back(device);
  }
  return groups;
}

void take_hlo_attributes(const HloAttributes& attributes, Instruction& op) {
  const auto numbers = [&](std::string_view key) { return integers_in(attributes.find(key)); };
  const auto number = [&](std::string_view key, std::int64_t otherwise) {
    const auto found = numbers(key);
    return found.empty() ? otherwise : found.front();
  };
  op.dims = numbers("dimensions");
  op.feature_groups = number("feature_group_count", 1);
  op.batch_groups = number("batch_group_count", 1);
  op.target = attributes.find("custom_call_target");
  op.direction = attributes.find("direction");
  if (op.opcode->op_class == OpClass::tuple_element) op.number = number("index", 0);
  if (op.opcode->op_class == OpClass::loop)
    op.trip_count = trip_count(attributes.find("backend_config"));
  if (!attributes.find("window").empty()) op.window = window_of(attributes.find("window"));
  if (!attributes.find("dim_labels").empty())
    op.convolution = convolution_of(attributes.find("dim_labels"));
  if (op.opcode->op_class == OpClass::dot)
    op.dot = DotDims{numbers("lhs_batch_dims"), numbers("rhs_batch_dims"),
                     numbers("lhs_contracting_dims"), numbers("rhs_contracting_dims")};
  if (op.opcode->op_class == OpClass::collective || op.opcode->op_class == OpClass::permute)
    op.groups = groups_of(attributes, op);
  const std::string_view metadata = attributes.find("metadata");
  if (const std::size_t at = metadata.find("op_name=\""); at != metadata.npos) {
    const std::string_view name = metadata.substr(at + 9);
    op.scope = name.substr(0, name.find('"'));
  }
}

}  // namespace orrery::hlo
