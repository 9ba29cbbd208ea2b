// SPDX-License-Identifier: Apache-2.0
//
// One element of traceEvents, split into raw fields.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace orrery::trace::kineto {

/// Known arguments, in every historic spelling.
enum class Arg : std::uint8_t {
  external_id,
  record_function_id,
  sequence,
  forward_thread,
  dims,
  strides,
  types,
  concrete,
  correlation,
  device,
  stream,
  bytes,
  size,
  collective,
  dtype,
  in_elements,
  out_elements,
  in_split,
  out_split,
  group_size,
  group_name,
  group_description,
  group_ranks,
  group_id,
  rank,
  comm_sequence,
  source_rank,
  destination_rank,
  root_rank,
  rank_start,
  rank_stride,
  asynchronous,
  sync_kind,
  wait_stream,
  wait_record,
  graph_id,
  graph_node,
  address,          ///< of a change of memory, as are the next three
  allocated,        ///< bytes of tensors after it
  reserved,         ///< bytes of the allocator after it
  memory_device,    ///< number of the device; -1: the host
  device_type,      ///< PyTorch's number of the device type; 0: the host
  original_stream,  ///< the stream of a record that is displayed on another row
  name,
  ignored,  ///< known but not used
  unknown
};
inline constexpr std::size_t kArgs = static_cast<std::size_t>(Arg::ignored);

/// Raw JSON tokens without surrounding space; strings include their quotes. Empty: absent. The
/// tokens are views of the element's text.
struct Record {
  std::string_view phase, category, name, process, thread, start, duration, id;
  std::uint64_t offset = 0;  ///< of the element in the file

  static constexpr std::size_t kExtras = 32;
  std::array<std::pair<std::string_view, std::string_view>, kExtras> extras;  ///< unknown arguments
  std::size_t extra_count = 0;

  [[nodiscard]] bool has(Arg arg) const { return ((present_ >> index(arg)) & 1) != 0; }
  [[nodiscard]] std::string_view operator[](Arg arg) const {
    return has(arg) ? args_[index(arg)] : std::string_view{};
  }

  /// Removes all values.
  void clear();
  /// Sets an argument by its raw key.
  void set(std::string_view key, std::string_view raw);
  /// Replaces all values by those of `element`; false if that is not a complete object.
  bool read(simdjson::ondemand::object& element);

 private:
  static std::size_t index(Arg arg) { return static_cast<std::size_t>(arg); }
  bool read_args(simdjson::ondemand::value value);
  void set(Arg arg, std::string_view key, std::string_view raw);

  std::array<std::string_view, kArgs> args_;
  std::uint64_t present_ = 0;
};

/// The content of a raw string without decoding escapes; other tokens unchanged.
[[nodiscard]] inline std::string_view unquoted(std::string_view raw) {
  return raw.size() >= 2 && raw.front() == '"' ? raw.substr(1, raw.size() - 2) : raw;
}

}  // namespace orrery::trace::kineto
