// SPDX-License-Identifier: Apache-2.0
//
// Ranks that contradict each other, files and options that make no sense, outputs that cannot be.
#include <fmt/format.h>
#include <sys/stat.h>

#include "orrery/trace/pytorch/pytorch_testing.h"
#include "pytorch_traces.h"

namespace orrery::hostile {

namespace fs = std::filesystem;

namespace {

const std::string kCheck = "trace validate --traces a.json b.json";

/// A collective: the operator, the call, the kernel.
std::string recorded_collective(std::string_view name, std::uint64_t elements, int start,
                                std::string_view ranks = "[0, 1]", std::string_view more = "") {
  const std::string what = fmt::format(
      R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "dtype": "Float", )"
      R"("Group size": 2, "Process Group Name": "0", "Process Group Ranks": "{}"{})",
      name, elements, elements, ranks, more);
  const std::string id = fmt::format(R"("External id": {}, "correlation": {})", start, start);
  return complete("record_param_comms", "cpu_op", start, 5,
                  fmt::format(R"({{"External id": {}, {}}})", start, what)) +
         ",\n" + complete("cudaLaunchKernel", "cuda_runtime", start + 1, 1, "{" + id + "}") +
         ",\n" +
         complete("ncclDevKernel", "kernel", start + 10, 20,
                  fmt::format(R"({{{}, "device": 0, "stream": 20, {}}})", id, what), 0, 20);
}

/// Two ranks, rank 0 with `left` more and rank 1 with `right`.
Case two_recorded(std::string name, std::string left, std::string right, std::string reports,
                  int exit_code = 1) {
  Case made{"ranks_" + std::move(name),
            kCheck,
            exit_code,
            {},
            {{"a.json", device_trace(left)}, {"b.json", device_trace(right, 1)}}};
  made.reports = std::move(reports);
  return made;
}

Case device(std::string name, std::string command, std::vector<std::string> says, int exit_code = 2,
            Files more = {}) {
  more["a.json"] = device_trace();
  return {"recorded_" + std::move(name), std::move(command), exit_code, std::move(says),
          std::move(more)};
}

Case layers(std::string name, std::string text, std::string says, int exit_code = 3,
            std::string command = "trace convert a.txt --npus 4 -o t") {
  return {"layers_" + std::move(name),
          std::move(command),
          exit_code,
          {std::move(says)},
          {{"a.txt", std::move(text)}}};
}

}  // namespace

std::vector<Case> rank_value_cases() {
  const std::string reduce = recorded_collective("allreduce", 100, 100);
  std::vector<Case> cases;
  int number = 0;
  for (const std::string members : {"", "[", "[0, 1", "[-1, 99999999999]", "x", "[0, 1, ...]"}) {
    const std::string odd = recorded_collective("allreduce", 100, 100, members);
    cases.push_back(two_recorded(fmt::format("odd_members_{}", number++), odd, odd, "traces", 0));
  }
  for (const char* rank : {"-1", "4294967296", "18446744073709551616", "null", "1.5"}) {
    std::string text = device_trace();
    text.replace(text.find("\"rank\": 0"), 9, std::string("\"rank\": ") + rank);
    cases.push_back(survives(fmt::format("ranks_odd_{}", number++), kConvertDevice, "k.json", text,
                             "rank_from_order"));
  }
  for (const char* size : {"-1", "4294967296", "2147483648", "\"x\"", "null"}) {
    cases.push_back(survives(fmt::format("ranks_odd_world_{}", number++), kConvertDevice, "k.json",
                             device_trace(reduce, 0, size), "comm_alone"));
  }
  return cases;
}

std::vector<Case> rank_cases() {
  const std::string reduce = recorded_collective("allreduce", 100, 100);
  std::vector<Case> cases = {
      two_recorded("bytes", reduce, recorded_collective("allreduce", 200, 100), "bytes differ"),
      two_recorded("types", reduce, recorded_collective("_allgather_base", 100, 100),
                   "types differ"),
      two_recorded("members", reduce, recorded_collective("allreduce", 100, 100, "[0, 1, 2]"),
                   "take part in"),
      two_recorded("group_of_others", recorded_collective("allreduce", 100, 100, "[1, 2]"), "",
                   "a group that it does not belong to"),
      two_recorded("one_lacks_it", reduce + ",\n" + recorded_collective("allreduce", 100, 160),
                   reduce, "take part in"),
      two_recorded("send_without_receive",
                   recorded_collective("send", 100, 100, "[0, 1]", R"(, "Dst Rank": 1)"), "",
                   "no receive for this send"),
      two_recorded("peer_beyond_all",
                   recorded_collective("send", 100, 100, "[0, 1]", R"(, "Dst Rank": 99999999999)"),
                   "", "no receive for this send"),
      two_recorded("iterations", complete("ProfilerStep#2", "user_annotation", 100, 100), "",
                   "numbers of iterations differ"),
  };
  const std::string lie = recorded_collective("allreduce", ~0ull, 100);
  cases.push_back(two_recorded("2_to_64_elements", lie, lie, "traces", 0));
  Case world{"ranks_of_two_jobs",
             kCheck,
             3,
             {"b.json", "E2014"},
             {{"a.json", device_trace()}, {"b.json", device_trace("", 1, "4")}}};
  cases.push_back(world);
  cases.push_back({"ranks_one_twice",
                   kCheck,
                   2,
                   {"b.json", "a.json", "rank 0", "E1000"},
                   {{"a.json", device_trace()}, {"b.json", device_trace()}}});
  cases.push_back({"ranks_missing",
                   kCheck,
                   0,
                   {},
                   {{"a.json", device_trace(reduce, 0, "4")}, {"b.json", device_trace("", 3, "4")}},
                   {},
                   "0,3 of 4"});
  cases.push_back({"ranks_two_thousand",
                   "trace validate --traces r*.json",
                   0,
                   {},
                   {},
                   [](const fs::path& folder) {
                     for (unsigned rank = 0; rank < 2000; ++rank)
                       put(folder / fmt::format("r{}.json", rank), device_trace("", rank, "2000"));
                   },
                   "0-1999"});
  return cases;
}

std::vector<Case> recorded_file_cases() {
  std::vector<Case> cases = {
      device("pattern_of_nothing", "trace validate --traces x*.json", {"x*.json", "E2000"}, 3),
      device("missing", "trace merge gone.json", {"gone.json", "E2000"}, 3),
      device("junk_beside_it", "trace convert a.json j.json -o t", {"j.json", "E2004"}, 3,
             {{"j.json", "junk"}}),
      device("junk_before_it", "trace convert j.json a.json -o t", {"j.json", "E2004"}, 3,
             {{"j.json", "junk"}}),
      device("chakra_beside_it", "trace convert a.json w.0.et -o t", {"w.0.et", "Chakra"}),
      device("empty_beside_it", "trace validate --traces a.json e.json", {"e.json", "E2011"}, 3,
             {{"e.json", ""}}),
      device("damaged_and_run", "run --traces a.json b.json --cluster two.yaml",
             {"b.json", "E2003"}, 3, {{"b.json", "{\"schemaVersion\": 1, \"deviceProper"}}),
      device("of_one_rank_and_run", "run --traces a.json --cluster two.yaml",
             {"a.json", "--replicate"}),
      device("cluster_for_a_trace", "trace info --traces two.yaml", {"two.yaml", "E2004"}, 3),
      device("diff_with_junk", "trace diff a.json j.json", {"j.json"}, 3, {{"j.json", "junk"}}),
      device("diff_with_other_json", "trace diff a.json j.json", {"j.json", "E2004", "hint"}, 3,
             {{"j.json", "{\"a\": 1}"}}),
      device("inspect_other_json", "trace info j.json", {"j.json", "E2004", "hint"}, 3,
             {{"j.json", "[[1], 2]"}}),
      device("nothing_to_simulate", "trace convert j.json -o t", {"j.json", "E2011", "hint"}, 3,
             {{"j.json", "{\"schemaVersion\": 1, \"traceEvents\": [" +
                             complete("main", "python_function", 1, 2) + "]}"}}),
      device("nothing_to_simulate_beside", "run --traces a.json j.json --cluster two.yaml",
             {"j.json", "E2011", "hint"}, 3,
             {{"j.json",
               "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1, "
               "\"world_size\": 2}, \"traceEvents\": [" +
                   complete("main", "python_function", 1, 2) + "]}"}}),
      device("diff_with_nothing", "trace diff a.json gone.json", {"gone.json", "E2000"}, 3),
      device("diff_of_one", "trace diff a.json", {"needs two"}),
      device("diff_with_empty", "trace diff a.json e.json", {"e.json", "E2011"}, 3,
             {{"e.json", ""}}),
      device("obfuscated", "trace anonymize a.json -o o", {"a.json", "E2004", "hint"}, 3),
      device("rank_negative", "trace convert a.json --rank -5 -o t", {"--rank"}),
      device("rank_huge", "trace convert a.json --rank 99999999999 -o t", {"--rank"}),
      device("threads_huge", "trace convert a.json --threads 100000 -o t", {"--threads"}),
  };
  cases.push_back({"recorded_folder",
                   "trace convert d -o t",
                   3,
                   {"d", "folder", "E2001"},
                   {},
                   [](const fs::path& folder) { fs::create_directory(folder / "d"); }});
  cases.push_back({"recorded_pipe",
                   "trace info --traces p.json",
                   3,
                   {"p.json"},
                   {},
                   [](const fs::path& folder) { mkfifo((folder / "p.json").c_str(), 0600); }});
  cases.push_back(
      {"recorded_endless",
       "trace validate --traces z.json",
       3,
       {"z.json", "E2001"},
       {},
       [](const fs::path& folder) { fs::create_symlink("/dev/zero", folder / "z.json"); }});
  return cases;
}

std::vector<Case> recorded_output_cases() {
  const std::string groups = R"({"other": [0]})";
  std::vector<Case> cases = {
      device("into_a_file", "trace convert a.json -o a.json/t", {"a.json/t.0.et", "E1010"}),
      device("without_output", "trace convert a.json", {"--output"}),
      device("to_stdout", "trace convert a.json -o -", {"--output", "standard output"}),
      device("over_a_trace", "trace convert a.json -o w", {"w.0.et", "E1009", "--force"}),
      device("over_groups", "trace convert a.json -o t", {"comm_group.json", "E1009", "--force"}, 2,
             {{"comm_group.json", groups}}),
      device("obfuscate_over_a_trace", "trace anonymize w -o w", {"w.0.et", "E1009"}),
      device("obfuscate_over_a_file", "trace anonymize w.0.et -o w.1.et", {"w.1.et", "E1009"}),
      device("obfuscate_over_groups", "trace anonymize w -o o", {"comm_group.json", "E1009"}, 2,
             {{"comm_group.json", groups}}),
      device("cut_no_iteration", "trace slice a.json --iteration 7 -o c.json",
             {"a.json", "iteration 7"}),
      device("cut_negative", "trace slice a.json --iteration -1 -o c.json", {"--iteration"}),
      device("cut_nothing_there", "trace slice a.json --from 5s --to 6s -o c.json",
             {"a.json", "no event begins"}),
      device("cut_backwards", "trace slice a.json --from 6us --to 5us -o c.json", {"--from"}),
      device("cut_not_a_time", "trace slice a.json --from soon -o c.json", {"--from"}),
      device("cut_nan", "trace slice a.json --from nan -o c.json", {"--from"}),
      device("cut_1e308", "trace slice a.json --from 1e308s -o c.json", {"--from"}),
      device("cut_no_rank", "trace slice a.json --ranks 9 -o c.json", {"--ranks"}),
      device("cut_ranks_backwards", "trace slice a.json --ranks 5-1 -o c.json", {"--ranks"}),
      device("cut_ranks_huge", "trace slice a.json --ranks 0-99999999999 -o c.json", {"--ranks"}),
      device("cut_over_a_file", "trace slice a.json --iteration 1 -o w.0.et", {"w.0.et", "E1009"}),
      device("cut_into_a_file", "trace slice a.json --iteration 1 -o w.0.et/c.json",
             {"w.0.et/c.json", "E1010"}),
      device("cut_junk", "trace slice j.json --iteration 1 -o c.json", {"j.json", "E2004"}, 3,
             {{"j.json", "junk"}}),
      device("export_to_nothing_known", "trace convert w.0.et -o w.xyz", {"w.xyz", "hint"}),
      device("export_over_a_file", "trace convert w.0.et -o mem.json", {"mem.json", "E1009"}),
  };
  cases.push_back({"recorded_cut_without_times",
                   "trace slice e.json --from 1us -o c.json",
                   2,
                   {"e.json", "no times"},
                   {{"e.json", trace::pytorch::trace_of({{3, "aten::mm"}})}}});
  for (const std::string command :
       {"trace convert a.json -o t", "trace slice a.json --iteration 1 -o c.json"}) {
    Case full =
        device("disk_full_" + command.substr(6, command.find(' ', 6) - 6), command, {"E1010"});
    full.make = [](const fs::path& folder) {
      std::string more;
      for (int i = 0; i < 5000; ++i)
        more += (i > 0 ? ",\n" : "") + complete(fmt::format("o{}", i), "cpu_op", i % 90, 1);
      put(folder / "a.json", device_trace(more));
    };
    full.disk = 8192;
    cases.push_back(full);
  }
  return cases;
}

std::vector<Case> layer_cases() {
  const std::string layer = "l0 -1 10 NONE 0 10 NONE 0 10 ALLREDUCE 1000 5\n";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = "DATA\n1\n" + layer;
    return text.replace(text.find(from), from.size(), to);
  };
  return {
      layers("fewer_than_said", "DATA\n2\n" + layer, "E2002"),
      layers("a_billion_said", "DATA\n1000000000\n" + layer, "E2002"),
      layers("negative", "DATA\n-1\n" + layer, "E2009"),
      layers("none", "DATA\n0\n", "E2011"),
      layers("count_a_word", "DATA\nx\n" + layer, "line 2"),
      layers("too_few_columns", "DATA\n1\nl0 -1 10\n", "line 3"),
      layers("size_negative", with("1000", "-1000"), "line 3"),
      layers("size_huge", with("1000", "99999999999999999999"), "E2009"),
      layers("time_1e308", with("10 NONE", "1e308 NONE"), "line 3"),
      layers("communication_unknown", with("ALLREDUCE", "\x1b[31m"), "line 3"),
      layers("endless_line", "DATA\n1\n" + std::string(100'000, 'x'), "line 3"),
      layers("for_no_rank", "DATA\n1\n" + layer, "--npus", 2, "trace convert a.txt -o t"),
      layers("for_a_trillion_ranks", "DATA\n1\n" + layer, "--npus", 2,
             "trace convert a.txt --npus 1000000000000 -o t"),
      layers("too_often", "DATA\n1\n" + layer, "--passes", 2,
             "trace convert a.txt --npus 2 --passes 99999999999 -o t"),
  };
}

}  // namespace orrery::hostile
