// SPDX-License-Identifier: Apache-2.0
//
// Decodes the payload of NCCL's NVTX ranges: sizes and peers of a call.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/trace/nsys/nsight_database.h"

namespace orrery::trace::nsys {

/// Values by their names in NCCL's schemas.
struct Payload {
  std::optional<std::uint64_t> communicator;  ///< a hash, the same on all ranks
  std::optional<std::int64_t> bytes;          ///< of one message
  std::optional<std::int64_t> peer;           ///< number in the communicator
  std::optional<std::int64_t> root;
  std::optional<std::int64_t> ranks;  ///< size of the communicator (when it is created)
  std::optional<std::int64_t> rank;   ///< number of this rank in the communicator
};

/// The layouts of binary payloads, read from the export.
class PayloadSchemas {
 public:
  [[nodiscard]] static Result<PayloadSchemas> read(Database& database);

  /// Decodes NVTX_EVENTS.binaryData: a header of four 64-bit numbers (domain, schema, size, offset
  /// of the values), then the values. Never reads beyond the bytes.
  [[nodiscard]] Payload decode(std::string_view bytes) const;
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;
    std::size_t width = 0;
    bool is_signed = false;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Entry>> entries_;
  std::uint64_t records_ = 0;
};

/// Decodes a JSON object ({"Message size [bytes]": 4096, …}).
[[nodiscard]] Payload payload_of_json(std::string_view text);

}  // namespace orrery::trace::nsys
