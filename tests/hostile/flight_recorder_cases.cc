// SPDX-License-Identifier: Apache-2.0
//
// Dumps of PyTorch's flight recorder: pickles and JSON.
#include "pytorch_traces.h"

namespace orrery::hostile {
namespace {

using namespace std::string_literals;

/// The opcode of a text (SHORT_BINUNICODE).
std::string text(std::string_view content) {
  return "\x8c" + std::string(1, static_cast<char>(content.size())) + std::string(content);
}

/// A dictionary of version 2.4, its frame left out, with more opcodes for its members.
std::string pickle(const std::string& members) {
  return "\x80\x02}(" + text("pg_config") + "}" + text("version") + text("2.4") + members + "u.";
}

const std::string kRecord = "}(" + text("process_group") + text("0") + text("d") + "\x86" +
                            text("profiling_name") + text("nccl:all_reduce") + text("state") +
                            text("scheduled") + text("collective_seq_id") + "K\1u";

/// A million references to one list of a million sizes.
std::string shared_sizes() {
  std::string sizes = "](";
  for (int i = 0; i < 1'000'000; ++i) sizes += "K\1";
  sizes += "e\x85q\7"s;
  std::string entries = "](";
  const std::string entry = "}(" + text("process_group") + text("0") + text("d") + "\x86" +
                            text("profiling_name") + text("nccl:all_reduce") + text("state") +
                            text("scheduled") + text("collective_seq_id") + "K\1" +
                            text("input_sizes") + "h\7u";
  entries += entry + "q\1";
  for (int i = 0; i < 1'000'000; ++i) entries += "h\1";
  return pickle(text("x") + sizes + text("entries") + entries + "e");
}

}  // namespace

std::vector<Case> flight_recorder_cases() {
  const std::string command = "trace info rank0";
  const auto bad = [&](std::string name, std::string bytes, std::string says, int exit_code = 3) {
    return refused("flight_recorder_" + std::move(name), command, "rank0", std::move(bytes),
                   {std::move(says)}, exit_code);
  };
  const std::string sound = pickle(text("entries") + "](" + kRecord + "e");
  return {
      bad("cut", sound.substr(0, sound.size() - 9), "E2002"),
      bad("runs_code", pickle(text("entries") + "cos\nsystem\n" + text("touch x") + "\x85R"),
          "os.system"),
      bad("reduce", pickle(text("entries") + text("a") + ")R"), "REDUCE"),
      bad("of_version_3",
          "\x80\x02}(" + text("pg_config") + "}" + text("version") + text("3") + "u.", "version 3"),
      bad("contains_itself", pickle(text("entries") + "]q\1h\1" + "a"), "E2003"),
      bad("text_of_2_gigabytes", pickle(text("entries") + "X\xff\xff\xff\x7f"), "E2002"),
      bad("memo_4_billion", pickle(text("entries") + "]r\xff\xff\xff\xff"), "E4000", 5),
      bad("shared_sizes", shared_sizes(), "E4000", 5),
      bad("3000000_values", pickle(text("entries") + "](" + std::string(3'000'000, 'N') + "e"),
          "E4000", 5),
      bad("json_nested_100000_deep",
          R"({"pg_config": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}",
          "E2003"),
      bad("json_cut", R"({"pg_config": {}, "version": "2.4", "entries": [{"collective_seq_id": 1)",
          "E2002"),
      {"flight_recorder_of_the_largest_rank",
       command,
       0,
       {},
       {},
       [](const std::filesystem::path& folder) {
         put(folder / "rank0",
             R"({"entries": [{"collective_seq_id": 1, "process_group": ["0", ""],)"
             R"("profiling_name": "nccl:x", "state": "started"}], "pg_config": )"
             R"({"0": {"ranks": "[0, 16777215]"}}, "version": "2.0"})");
       },
       "0, 16777215"},
  };
}

}  // namespace orrery::hostile
