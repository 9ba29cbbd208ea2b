// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of jobs that are damaged, absurd or too large; those of other tools are in
// tool_cases.cc.
#include <fmt/format.h>

#include "hostile_case.h"

namespace orrery::hostile {

namespace {

constexpr int kWrong = 2, kNoJob = 3, kTooLarge = 5;
const std::string kModel = "model: llama-3.1-8b\n";

Case spec(std::string name, std::string text, std::vector<std::string> says, int exit_code = kWrong,
          std::string command = "job count s.yaml") {
  return {"spec_" + std::move(name),
          std::move(command),
          exit_code,
          std::move(says),
          {{"s.yaml", std::move(text)}}};
}

/// One key of the plan.
Case plan(std::string name, const std::string& keys, std::vector<std::string> says,
          int exit_code = kWrong) {
  return spec("plan_" + std::move(name), kModel + "parallel: {" + keys + "}\n", std::move(says),
              exit_code);
}

/// An order of two stages and two microbatches.
Case order(std::string name, std::string text, std::vector<std::string> says,
           int exit_code = kWrong, const std::string& file = "o.yaml") {
  Case made = spec("order_" + std::move(name),
                   kModel +
                       "parallel: {pp: 2}\nbatch: {global: 2}\n"
                       "schedule: {kind: file, file: " +
                       file + "}\n",
                   std::move(says), exit_code);
  if (!text.empty()) made.files["o.yaml"] = std::move(text);
  return made;
}

Case survived(Case hostile, std::string reports) {
  hostile.exit_code = 0;
  hostile.reports = std::move(reports);
  return hostile;
}

std::string many_aliases() {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'm'; ++c) {
    text += fmt::format("{}: &{} [{}*{}]\n", c, c,
                        repeated(fmt::format("*{}, ", static_cast<char>(c - 1)), 8),
                        static_cast<char>(c - 1));
  }
  return text + kModel;
}

std::string deep_mapping(std::size_t levels) {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += std::string(i, ' ') + "a:\n";
  return text;
}

std::vector<Case> text_cases() {
  return {
      spec("cut", "model: {is: llama-3.1-8b, layers", {"s.yaml:1:", "E1002"}),
      spec("cut_json", R"({"model": {"is": "llama-3.1-8b", "layers": 3)", {"s.yaml:1:", "E1002"}),
      spec("empty", "", {"s.yaml", "E2011"}, kNoJob),
      spec("nothing", "~\n", {"s.yaml", "E2004"}, kNoJob),
      spec("word", "llama-3.1-8b\n", {"s.yaml", "E2004"}, kNoJob),
      spec("list", "- model: llama-3.1-8b\n", {"s.yaml", "E2004"}, kNoJob),
      spec("binary", std::string("\x7f\x45LF\x02\x01\0\0\xff\xfe", 10), {"s.yaml:byte", "E1002"}),
      spec("zero_byte", kModel + std::string(1, '\0'), {"s.yaml:byte", "zero byte"}),
      spec("adapters_of_many", kModel + "lora: {targets: [" + repeated("q,", 100'000) + "k]}\n",
           {"lora.targets", "lists q twice"}),
      spec("adapters_2_to_66", kModel + "lora: {rank: 99999999999999999999}\n",
           {"s.yaml:/lora/rank", "E100"}),
      spec("two_documents", kModel + "---\n" + kModel, {"s.yaml:2:1", "more than one"}),
      spec("key_twice", kModel + "parallel: {tp: 2, tp: 4}\n", {"s.yaml:2:", "twice"}),
      spec("unknown_key", kModel + "paralel: {tp: 2}\n", {"s.yaml:/paralel", "\"parallel\""}),
      spec("unknown_inner", kModel + "parallel: {tpp: 2}\n", {"s.yaml:/parallel/tpp", "\"tp\""}),
      spec("deep_list", "model: " + repeated("[", 100'000), {"s.yaml:1:", "E1002"}),
      spec("deep_mapping", deep_mapping(300), {"s.yaml:65", "E4000"}, kTooLarge),
      spec("deep_json", repeated(R"({"model":)", 100'000), {"s.yaml", "E4000"}, kTooLarge),
      spec("aliases", many_aliases(), {"s.yaml", "aliases expanded"}, kTooLarge),
      spec("alias_of_itself", "model: &m {is: *m}\n", {"s.yaml:1:16", "alias"}),
      spec("escapes", "model: \"\\e[2Jllama\"\n", {"s.yaml:/model/is", "?[2Jllama"}),
      spec("endless_name", "model: " + repeated("x", 1'000'000) + "\n", {"s.yaml:/model/is"}),
      {"spec_folder", "job count .", kWrong, {".", "folder"}},
      {"spec_device", "memory /dev/zero", kTooLarge, {"/dev/zero", "E4000"}},
      {"spec_too_large",
       "run --spec s.yaml --cluster two.yaml",
       kTooLarge,
       {"s.yaml", "E4000"},
       {},
       too_large("s.yaml", kModel)},
  };
}

std::vector<Case> wrong_value_cases() {
  return {
      spec("model_unknown", "model: gpt-7\n", {"s.yaml:/model", "gpt-7"}),
      spec("model_number", "model: 12\n", {"s.yaml:/model", "E1005"}),
      spec("model_list", "model: [llama-3.1-8b]\n", {"s.yaml:/model", "E1005"}),
      plan("text", "tp: two", {"s.yaml:/parallel/tp", "E1005"}),
      plan("negative", "tp: -1", {"s.yaml:/parallel/tp", "is -1"}),
      plan("zero", "dp: 0", {"s.yaml:/parallel/dp", "is 0"}),
      plan("fraction", "tp: 1.5", {"s.yaml:/parallel/tp", "is 1.5"}),
      plan("nan", "tp: .nan", {"s.yaml:/parallel/tp", "E1005"}),
      plan("infinite", "tp: .inf", {"s.yaml:/parallel/tp", "E1005"}),
      plan("2_to_64", "tp: 18446744073709551616", {"s.yaml:/parallel/tp", "too large"}),
      plan("1e308", "pp: 1e308", {"s.yaml:/parallel/pp", "too large"}),
      plan("list", "tp: [1]", {"s.yaml:/parallel/tp", "E1005"}),
      plan("mapping", "tp: {a: 1}", {"s.yaml:/parallel/tp", "E1005"}),
      plan("bool", "tp: true", {"s.yaml:/parallel/tp", "E1005"}),
      plan("bucket_text", "bucket: lots", {"s.yaml:/parallel/bucket", "E1005"}),
      plan("bucket_negative", "bucket: -1 MB", {"s.yaml:/parallel/bucket", "negative"}),
      plan("bucket_huge", "bucket: 99999999 TB", {"s.yaml:/parallel/bucket", "too large"}),
      plan("order", "order: tp-tp", {"parallel.order", "rule order"}),
      spec("version", kModel + "version: 99\n", {"s.yaml:/version", "is 99"}),
      spec("compat", kModel + "compat: foo\n", {"s.yaml:/compat", "foo"}),
      spec("stage_layers_endless",
           kModel + "schedule: {stage_layers: [" + repeated("1,", 100'000) + "1]}\n",
           {"s.yaml:/schedule/stage_layers", "E1006"}),
      spec("stage_layers_negative",
           kModel + "parallel: {pp: 2}\nschedule: {stage_layers: [-1, 33]}\n",
           {"schedule.stage_layers", "-1"}),
      spec("capacity_nan", "model: {is: mixtral-8x7b, moe: {capacity_factor: .nan}}\n",
           {"s.yaml:/model/moe/capacity_factor", "E1005"}),
      spec("imbalance_huge", "model: {is: mixtral-8x7b, moe: {imbalance: 1e300}}\n",
           {"s.yaml:/model/moe/imbalance", "1e+300"}),
      spec("experts_odd", "model: mixtral-8x7b\nparallel: {ep: 3, dp: 3}\n", {"parallel.ep"}),
      spec("tables_missing", "model: {kind: dlrm}\n", {"model.dlrm", "rule dlrm-family"}),
      spec("patch_of_nothing", "model: {kind: vit, vision: {image: 224, patch: 0}}\n",
           {"s.yaml:/model/vision/patch", "is 0"}),
      {"spec_set_huge",
       "job count --model llama-3.1-8b --set model.layers=1e300",
       kWrong,
       {"model.layers", "too large"}},
      {"spec_set_deep",
       "job count --model llama-3.1-8b --set parallel.tp.tp.tp=3",
       kWrong,
       {"parallel.tp.tp.tp", "E1005"}},
      {"spec_set_nothing", "job count --model llama-3.1-8b --set =3", kWrong, {"key", "E1003"}},
      {"spec_set_open",
       "job count --model bert-large --set parallel.tp=[[[[[",
       kWrong,
       {"parallel.tp"}},
  };
}

std::vector<Case> size_cases() {
  const std::string deep = "model: {is: llama-3.1-8b, layers: 65536}\nparallel: {pp: 65536}\n";
  const std::string million = kModel + "batch: {global: 5592405}\n";
  return {
      plan("ranks_1e9", "dp: 1000000000", {"s.yaml:/parallel/dp", "16777216"}),
      plan("ranks_2_to_48", "dp: 16777216, pp: 16777216", {"parallel", "E4000"}, kTooLarge),
      spec("layers_2_to_63", "model: {is: llama-3.1-8b, layers: 9223372036854775807}\n",
           {"s.yaml:/model/layers", "too large"}),
      spec("hidden_2_to_40", "model: {is: llama-3.1-8b, hidden: 1099511627776}\n",
           {"s.yaml:/model/hidden", "1048576"}),
      spec("flops_2_to_62", kModel + "batch: {micro: 1048576, seq: 67108864}\n",
           {"batch", "rule op-size"}),
      spec("weights_2_to_56",
           "model: {kind: decoder, layers: 65536, hidden: 1048576, heads: 1024, vocab: 1048576}\n",
           {"model", "rule weights"}),
      spec("passes",
           kModel + "parallel: {pp: 2}\nschedule: {kind: interleaved, chunks: 48}\n"
                    "batch: {global: 1073741824}\n",
           {"batch", "E4000"}, kTooLarge),
      spec("microbatches_of_many_stages", deep + "batch: {global: 65536}\n", {"batch", "E4000"},
           kTooLarge, "memory s.yaml"),
      spec("more_stages_than_layers", kModel + "parallel: {pp: 64}\n", {"parallel.pp"}),
      survived(plan("ranks_2_to_24", "dp: 16777216", {}), "16,777,216 ranks"),
      survived(spec("stages_2_to_16", deep + "batch: {global: 85}\n", {}), "65,536 ranks"),
      survived(
          spec("memory_of_stages_2_to_16", deep + "batch: {global: 85}\n", {}, 0, "memory s.yaml"),
          "65,536 ranks"),
      survived(spec("many_microbatches", million, {}), "5,592,405"),
      survived(spec("memory_of_many_microbatches", million, {}, 0, "memory s.yaml"), "5,592,405"),
      {"spec_run_of_too_many_ranks",
       "run --spec s.yaml --cluster two.yaml",
       kWrong,
       {"two.yaml", "E1008"},
       {{"s.yaml", kModel + "parallel: {dp: 16777216}\n"}}},
  };
}

std::vector<Case> order_cases() {
  const std::string sound = "[F0, F1, B0, B1]";
  return {
      order("missing", "", {"o.yaml", "E1001"}),
      order("circle", "stages: [[F0, B0, F1, B1], [F1, F0, B0, B1]]\n",
            {"o.yaml:/stages/0/1", "the stages deadlock"}),
      order("one_stage", "stages: [" + sound + "]\n", {"o.yaml:/stages", "lists 1"}),
      order("pass_twice", "stages: [[F0, F0, B0, B1], " + sound + "]\n",
            {"o.yaml:/stages/0/1", "appears twice"}),
      order("pass_missing", "stages: [[F0, F1, B0], " + sound + "]\n",
            {"o.yaml:/stages/0/3", "B1"}),
      order("backward_first", "stages: [[B0, F0, F1, B1], " + sound + "]\n",
            {"o.yaml:/stages/0/0", "forward"}),
      order("microbatch_2_to_66", "stages: [[F99999999999999999999], [F0]]\n",
            {"o.yaml:/stages/0/0", "E1006"}),
      order("chunks_2_to_32", "chunks: 4294967296\nstages: [[F0], [F0]]\n", {"o.yaml:/chunks"}),
      order("no_pass", "stages: [[F0, X1, B0, B1], " + sound + "]\n", {"o.yaml:/stages/0/1", "X1"}),
      order("cut", "stages: [[F0, F1", {"o.yaml:1:", "E1002"}),
      order("number", "stages: 7\n", {"o.yaml:/stages", "E1005"}),
      order("endless", "stages: [[" + repeated("F0,", 999'990) + "F0], [F0]]\n",
            {"o.yaml:/stages/0/1", "appears twice"}),
      order("device", "", {"/dev/zero", "E4000"}, kTooLarge, "/dev/zero"),
      order("folder", "", {".", "folder"}, kWrong, "."),
      order("the_specification", "", {"s.yaml:/", "E1003"}, kWrong, "s.yaml"),
  };
}

}  // namespace

std::vector<Case> description_cases() {
  std::vector<Case> all;
  for (const auto& some : {text_cases(), wrong_value_cases(), size_cases(), order_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace orrery::hostile
