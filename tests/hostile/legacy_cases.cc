// SPDX-License-Identifier: Apache-2.0
//
// Damage in the layouts of 2023.
#include "hostile_case.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::hostile {

using protozero::pbf_writer;
using trace::chakra::testing::framed;

namespace {

using Fields = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

/// A node of 0.0.1: no attributes, one field per property.
std::string flat(std::uint64_t id, std::uint64_t type, const Fields& fields) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(1, id);
  writer.add_string(2, "n");
  writer.add_uint64(3, type);
  for (const auto& [tag, value] : fields) writer.add_uint64(tag, value);
  return framed(message);
}

/// A node of 0.0.2 (`metadata` false) or 0.0.3: attributes say which of their fields counts.
std::string coded(bool metadata, std::uint64_t id, std::uint64_t type, const std::string& name,
                  std::uint64_t value) {
  std::string message;
  pbf_writer writer(message);
  writer.add_uint64(1, id);
  writer.add_string(2, "n");
  writer.add_uint64(3, type);
  if (id > 1) writer.add_uint64(4, id - 1);
  {
    pbf_writer attribute(writer, 11);
    attribute.add_string(1, name);
    attribute.add_uint32(2, metadata ? 3 : 1);
    attribute.add_uint64(metadata ? 7 : 5, value);
  }
  return framed(message);
}

std::string old_metadata() {
  std::string message;
  pbf_writer writer(message);
  {
    pbf_writer attribute(writer, 1);
    attribute.add_string(1, "schema");
    attribute.add_uint32(2, 4);
    attribute.add_string(8, "x");
  }
  return framed(message);
}

Case whole_record(std::string name, std::string bytes, std::vector<std::string> says) {
  says.insert(says.begin(), "w.0.et:byte ");
  return {std::move(name), kRun, 3, std::move(says), {{"w.0.et", std::move(bytes)}}};
}

}  // namespace

std::vector<Case> legacy_cases() {
  const std::string first = flat(1, 3, {{7, 5}, {12, 100}});
  const std::string second = coded(false, 1, 3, "runtime", 8);
  const std::string third = old_metadata() + coded(true, 1, 4, "runtime", 8);
  return {
      whole_record("v001_cut", first + flat(2, 6, {{4, 1}, {18, 64}}).substr(0, 9), {"E2002"}),
      whole_record("v001_id_twice", first + flat(1, 3, {{7, 5}}), {"E2005", "(node 1)"}),
      whole_record("v001_dangling_parent", first + flat(2, 3, {{4, 9}, {7, 5}}),
                   {"E2006", "node 9"}),
      whole_record("v001_circle", flat(1, 3, {{4, 2}, {7, 5}}) + flat(2, 3, {{4, 1}, {7, 5}}),
                   {"E2008"}),
      whole_record("v001_node_type_9", first + flat(2, 9, {{4, 1}, {7, 5}}), {"(node 2)"}),
      whole_record("v001_size_negative", first + flat(2, 6, {{4, 1}, {13, 1}, {18, ~0ull}}),
                   {"(node 2)", "comm_size"}),
      whole_record("v001_duration_huge", first + flat(2, 3, {{7, 1ull << 62}}), {"(node 2)"}),
      whole_record("v002_cut", second + coded(false, 2, 3, "runtime", 8).substr(0, 12), {"E2002"}),
      whole_record("v002_id_twice", second + coded(false, 1, 3, "runtime", 8),
                   {"E2005", "(node 1)"}),
      whole_record("v002_runtime_negative", second + coded(false, 2, 3, "runtime", ~0ull),
                   {"(node 2)", "E2009"}),
      whole_record("v002_size_huge", second + coded(false, 2, 6, "comm_size", 1ull << 63),
                   {"(node 2)", "comm_size"}),
      whole_record("v003_cut", third + coded(true, 2, 4, "runtime", 8).substr(0, 12), {"E2002"}),
      whole_record("v003_node_type_9", third + coded(true, 2, 9, "runtime", 8), {"(node 2)"}),
      whole_record("v003_dangling_parent", third + coded(true, 3, 4, "runtime", 8),
                   {"E2006", "(node 3)"}),
      whole_record("v003_rank_negative", third + coded(true, 2, 6, "comm_dst", ~0ull),
                   {"(node 2)", "comm_dst"}),
  };
}

}  // namespace orrery::hostile
