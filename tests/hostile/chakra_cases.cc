// SPDX-License-Identifier: Apache-2.0
//
// Damaged Chakra files: the file itself, its framing, its nodes, its compression, its JSON.
#include <sys/stat.h>

#include <fstream>

#include "hostile_case.h"
#include "orrery/trace/chakra/chakra_testing.h"

namespace orrery::hostile {

namespace fs = std::filesystem;
using namespace trace::chakra;
using protozero::pbf_writer;
using trace::chakra::testing::framed;
using trace::chakra::testing::metadata;
using trace::chakra::testing::node;

namespace {

std::string two() { return testing::trace({node(0, 4), node(1, 4, {0})}); }

/// Rank 0's trace is two good nodes and then `tail`.
Case after_two(std::string name, std::string_view tail, std::string says, int exit_code = 3) {
  return {std::move(name),
          kRun,
          exit_code,
          {"w.0.et:byte ", std::move(says)},
          {{"w.0.et", two().append(tail)}}};
}

Case whole(std::string name, std::string bytes, std::vector<std::string> says, int exit_code = 3) {
  return {std::move(name), kRun, exit_code, std::move(says), {{"w.0.et", std::move(bytes)}}};
}

/// Node 1 is a collective with one more attribute.
Case attribute_case(std::string name, AttributeRecord record, std::string says) {
  return whole(std::move(name), testing::trace({node(0, 4), node(1, 7, {0}, {std::move(record)})}),
               {"w.0.et:byte ", "(node 1)", std::move(says)});
}

std::string with_field(std::uint32_t tag, std::uint64_t value) {
  std::string message;
  pbf_writer(message).add_uint64(1, 5);
  pbf_writer(message).add_uint64(tag, value);
  return framed(message);
}

/// A circle of `length` nodes.
void write_circle(const fs::path& path, std::uint64_t length) {
  std::ofstream out(path, std::ios::binary);
  out << metadata();
  for (std::uint64_t i = 0; i < length; ++i) {
    std::string bytes;
    append_framed(bytes, node(i, 4, {(i + length - 1) % length}));
    out << bytes;
  }
}

/// One node whose list of dependencies claims and has `count` entries.
void write_many_deps(const fs::path& path, std::size_t count) {
  std::string message = "\x08\x05\x2A";
  std::string length = framed(std::string(count, '\0')).substr(0, 4);
  message += length + std::string(count, '\x00');
  std::ofstream(path, std::ios::binary) << two() << framed(message);
}

}  // namespace

std::vector<Case> file_cases() {
  const auto remove = [](const char* name) {
    return [name](const fs::path& folder) { fs::remove(folder / name); };
  };
  const auto link_to = [](const char* target) {
    return [target](const fs::path& folder) {
      fs::remove(folder / "w.0.et");
      fs::create_symlink(target, folder / "w.0.et");
    };
  };
  return {
      {"file_missing_all", "run nothing --cluster two.yaml", 3, {"nothing.0.et", "E2000", "hint"}},
      {"file_missing_rank_1", kRun, 3, {"w.1.et", "E2000", "1 ranks"}, {}, remove("w.1.et")},
      {"file_is_a_folder",
       kRun,
       3,
       {"w.0.et", "folder"},
       {},
       [](const fs::path& folder) {
         fs::remove(folder / "w.0.et");
         fs::create_directory(folder / "w.0.et");
       }},
      {"file_links_to_itself", kRun, 3, {"w.0.et"}, {}, link_to("w.0.et")},
      {"file_links_to_nothing", kRun, 3, {"w.0.et"}, {}, link_to("gone")},
      {"file_is_a_pipe",
       kRun,
       3,
       {"w.0.et"},
       {},
       [](const fs::path& folder) {
         fs::remove(folder / "w.0.et");
         mkfifo((folder / "w.0.et").c_str(), 0600);
       }},
      {"file_is_endless_zeros", kRun, 3, {"w.0.et"}, {}, link_to("/dev/zero")},
      {"file_is_endless_noise", kRun, 3, {"w.0.et"}, {}, link_to("/dev/urandom")},
      whole("file_empty", "", {"w.0.et", "E2011"}),
      whole("file_of_one_byte", std::string(1, '\0'), {"w.0.et"}),
      whole("file_of_metadata_only", metadata(), {"w.0.et", "E2011"}),
      whole("file_of_zeros", std::string(1 << 20, '\0'), {"w.0.et:byte ", "E2005"}),
      whole("file_is_prose", "It was a bright cold day in April, and the clocks.\n", {"w.0.et"}),
      {"inspect_damaged", "trace info w.0.et", 3, {"w.0.et:byte "}, {{"w.0.et", two() + "\xFF"}}},
      {"check_damaged", "trace validate w", 3, {"w.0.et:byte "}, {{"w.0.et", two() + "\xFF"}}},
      {"damaged_in_rank_1", kRun, 3, {"w.1.et:byte "}, {{"w.1.et", two() + "\xFF"}}},
      {"nothing_left_to_repair", kRun + " --repair", 3, {"w.0.et"}, {{"w.0.et", "\x7F\x08"}}},
  };
}

std::vector<Case> framing_cases() {
  std::string wrong_wire;
  pbf_writer(wrong_wire).add_uint64(1, 5);
  pbf_writer(wrong_wire).add_fixed64(3, 4);
  return {
      after_two("length_cut", "\xFF", "E2002"),
      after_two("length_without_end", std::string(12, '\xFF'), "E2003"),
      after_two("length_beyond_file", "\x7F\x08\x05", "only 2 remain"),
      after_two("length_of_4_GB", "\xFF\xFF\xFF\xFF\x0F", "E4000", 5),
      after_two("varint_cut", framed("\x08\xFF"), "E2003"),
      after_two("varint_of_11_bytes", framed("\x08" + std::string(11, '\xFF')), "E2003"),
      after_two("field_longer_than_record", framed(std::string("\x08\x05\x12\x7F", 4)), "(node 5)"),
      after_two("wire_type_wrong", framed(wrong_wire), "(node 5)"),
      after_two("wire_type_group", framed("\x08\x05\x0B"), "(node 5)"),
      after_two("groups_without_end", framed("\x08\x05" + repeated("\x5B", 100'000)), "(node 5)"),
      after_two("field_number_0", framed(std::string("\x08\x05\x00\x01", 4)), "(node 5)"),
      after_two("packed_list_cut", framed("\x08\x05\x2A\x01\xFF"), "(node 5)"),
      {"sixty_million_deps",
       kRun,
       5,
       {"w.0.et:byte ", "(node 5)", "E4000"},
       {},
       [](const fs::path& folder) { write_many_deps(folder / "w.0.et", 60'000'000); }},
  };
}

std::vector<Case> node_cases() {
  const auto trace_of = [](std::vector<NodeRecord> nodes) { return testing::trace(nodes); };
  const double infinity = 1e308 * 10;
  return {
      after_two("node_type_9", with_field(3, 9), "(node 5)"),
      after_two("duration_negative", with_field(7, ~0ull), "(node 5)"),
      after_two("duration_huge", with_field(7, 1ull << 62), "(node 5)"),
      whole("id_twice", trace_of({node(0, 4), node(1, 4), node(0, 4)}),
            {"w.0.et:byte ", "(node 0)", "E2005"}),
      whole("dep_dangling", trace_of({node(1, 4, {7})}), {"w.0.et:byte ", "(node 1)", "node 7"}),
      whole("dep_huge", trace_of({node(1, 4, {~0ull})}), {"w.0.et:byte ", "(node 1)", "E2006"}),
      whole("name_with_escapes", trace_of({[] {
              NodeRecord loop = node(1, 4, {1});
              loop.name = "\x1b[31mred\r\n\x07";
              return loop;
            }()}),
            {"w.0.et:byte ", "\"?[31mred???\""}),
      whole("dep_on_itself", trace_of({node(1, 4, {1})}), {"w.0.et:byte ", "(node 1)", "E2007"}),
      whole("circle_of_2", trace_of({node(1, 4, {2}), node(2, 4, {1})}),
            {"w.0.et:byte ", "1 \"n1\" -> 2 \"n2\" -> 1"}),
      {"circle_of_200000",
       kRun,
       3,
       {"w.0.et:byte ", "E2008"},
       {},
       [](const fs::path& folder) { write_circle(folder / "w.0.et", 200'000); }},
      attribute_case("size_negative", attribute_int64("comm_size", -1), "comm_size"),
      attribute_case("size_huge", attribute_uint64("comm_size", ~0ull), "comm_size"),
      attribute_case("size_a_word", attribute_string("comm_size", "big"), "comm_size"),
      attribute_case("size_nan", attribute_double("comm_size", infinity - infinity), "comm_size"),
      attribute_case("size_infinite", attribute_double("comm_size", infinity), "comm_size"),
      attribute_case("size_a_list", attribute_bools("comm_size", {true}), "comm_size"),
      attribute_case("work_negative", attribute_int64("num_ops", -5), "num_ops"),
      attribute_case("rank_negative", attribute_int32("comm_dst", -5), "comm_dst"),
      whole("comm_type_42",
            trace_of({node(0, 7, {},
                           {attribute_int64("comm_type", 42), attribute_int64("comm_size", 8)})}),
            {"w.0.et", "n0", "E2004"}),
      attribute_case("dims_40", attribute_bools("involved_dim", std::vector<bool>(40, true)),
                     "involved_dim"),
      attribute_case("dims_a_million",
                     attribute_bools("involved_dim", std::vector<bool>(1'000'000, true)),
                     "involved_dim"),
  };
}

std::vector<Case> gzip_cases() {
  const std::string good = testing::gzip(two());
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  std::string bit = good;
  bit[20] ^= 0x10;
  return {
      whole("gzip_cut", good.substr(0, good.size() - 12), {"w.0.et", "E2002"}),
      whole("gzip_garbage", "\x1f\x8b\x08garbage and more garbage", {"w.0.et:byte ", "E2003"}),
      whole("gzip_header_only", std::string("\x1f\x8b\x08\0\0\0\0\0\0\3", 10), {"w.0.et"}),
      whole("gzip_wrong_sum", wrong_sum, {"w.0.et:byte ", "E2003"}),
      whole("gzip_without_sum", good.substr(0, good.size() - 8), {"w.0.et:byte ", "E2002"}),
      whole("gzip_bit_flipped", bit, {"w.0.et"}),
      whole("gzip_of_gzip", testing::gzip(good), {"w.0.et"}),
      {"gzip_bomb_zeros",
       kRun,
       3,
       {"w.0.et"},
       {},
       [](const fs::path& folder) {
         put(folder / "w.0.et", core_testing::gzip_repeated("", std::string(1 << 20, '\0'), 1000));
       }},
      {"gzip_bomb_one_record",
       kRun,
       5,
       {"w.0.et", "E4000"},
       {},
       [](const fs::path& folder) {
         put(folder / "w.0.et", core_testing::gzip_repeated(two() + "\xFF\xFF\xFF\x7F",
                                                            std::string(1 << 20, 'x'), 1000));
       }},
      {"gzip_bomb_repaired",
       kRun + " --repair",
       5,
       {"w.0.et", "E4000"},
       {},
       [](const fs::path& folder) {
         put(folder / "w.0.et",
             core_testing::gzip_repeated(two(), std::string(1 << 20, '\0'), 1000));
       }},
      {"gzip_bomb_json",
       kRun,
       5,
       {"w.0.et", "E4000"},
       {},
       [](const fs::path& folder) {
         put(folder / "w.0.et", core_testing::gzip_repeated(R"({"workload_graph": [)",
                                                            std::string(1 << 20, ' '), 1000));
       }},
  };
}

std::vector<Case> json_cases() {
  const std::string open = R"({"workload_graph": [)";
  const auto nodes = [&](const char* name, const std::string& tail, std::vector<std::string> says,
                         int code = 3) {
    says.insert(says.begin(), "w.0.et");
    return whole(name, open + R"({"Id": 1, "NodeType": 4}, )" + tail, std::move(says), code);
  };
  return {
      nodes("json_cut", R"({"Id": 2)", {"E2002", ":byte 46"}),
      nodes("json_word", R"({"Id": nul}]})", {"E2003", ":byte 46"}),
      nodes("json_id_negative", R"({"Id": -1}]})", {"E2009", ":byte 46"}),
      nodes("json_id_fraction", R"({"Id": 1.5}]})", {"E2009"}),
      nodes("json_without_id", R"({"Name": "x"}]})", {"E2010"}),
      nodes("json_id_twice", R"({"Id": 1}]})", {"E2005"}),
      nodes("json_runtime_nan", R"({"Id": 2, "runtime": NaN}]})", {"E2003"}),
      nodes("json_runtime_1e400", R"({"Id": 2, "runtime": 1e400}]})", {":byte 46"}),
      nodes("json_runtime_huge", R"({"Id": 2, "runtime": 99999999999999999999}]})", {"E2009"}),
      nodes("json_deps_a_word", R"({"Id": 2, "data_deps": "1"}]})", {":byte 46"}),
      nodes("json_not_utf8", "{\"Id\": 2, \"Name\": \"\xC3\x28\"}]}", {":byte 46"}),
      nodes("json_node_a_number", "7]}", {":byte 46"}),
      nodes("json_deep", repeated("{\"a\":[", 100'000), {"E4000"}, 5),
      nodes("json_node_a_list", repeated("[", 200'000), {"E2003", ":byte 46"}),
      nodes("json_deep_attribute", R"({"Id": 2, "x": )" + repeated("{\"a\":", 100'000), {"E4000"},
            5),
      whole("json_graph_a_number", R"({"workload_graph": 3})", {"w.0.et", "E2003"}),
      whole("json_nothing", "{}", {"w.0.et", "E2011"}),
      whole("json_of_pytorch", R"({"schema": "1.1.1", "nodes": []})",
            {"w.0.et", "E2004", "PyTorch"}),
      whole("json_of_kineto", R"({"traceEvents": []})", {"w.0.et", "E2004", "Kineto"}),
      whole("json_of_nobody", R"({"a": 1})", {"w.0.et", "E2004", "hint"}),
      whole("json_of_a_package", R"({"name": "w", "version": "1.0", "scripts": {}})",
            {"w.0.et", "E2004", "hint"}),
      whole("json_list", "[1, 2]", {"w.0.et", "E2004", "hint"}),
      whole("json_list_of_nothing", " []\n", {"w.0.et", "E2004", "hint"}),
      {"json_endless_string",
       kRun,
       5,
       {"w.0.et", "E4000"},
       {},
       [](const fs::path& folder) {
         std::ofstream out(folder / "w.0.et", std::ios::binary);
         out << R"({"workload_graph": [{"Id": 1, "Name": ")";
         for (int i = 0; i < 80; ++i) out << std::string(1 << 20, 'x');
       }},
  };
}

}  // namespace orrery::hostile
