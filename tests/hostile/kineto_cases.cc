// SPDX-License-Identifier: Apache-2.0
//
// Damaged Kineto traces: cut short, no JSON, odd values, too much of everything.
#include <fmt/format.h>

#include "pytorch_traces.h"

namespace orrery::hostile {

namespace fs = std::filesystem;

namespace {

Case device_survives(std::string name, std::string bytes, std::string reports) {
  return survives("kineto_" + std::move(name), kConvertDevice, "k.json", std::move(bytes),
                  std::move(reports));
}

Case device_refused(std::string name, std::string bytes, std::string says, int exit_code = 3) {
  return refused("kineto_" + std::move(name), kConvertDevice, "k.json", std::move(bytes),
                 {std::move(says)}, exit_code);
}

/// One more event between sound ones.
Case with_event(std::string name, std::string event, std::string reports) {
  return device_survives(std::move(name),
                         device_trace(event + ",\n" + complete("aten::add", "cpu_op", 50, 1)),
                         std::move(reports));
}

/// An operator of which one member is something else.
std::string operator_with(std::string_view key, std::string_view value) {
  std::string text = "{";
  for (const auto& [name, usual] : {std::pair{"ph", "\"X\""},
                                    {"cat", "\"cpu_op\""},
                                    {"name", "\"odd\""},
                                    {"pid", "10"},
                                    {"tid", "10"},
                                    {"ts", "40"},
                                    {"dur", "1"},
                                    {"args", "{}"}}) {
    if (key == name && value.empty()) continue;
    text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", name,
                        key == name ? value : std::string_view(usual));
  }
  return text + "}";
}

Case device_made(std::string name, std::size_t count, std::string reports,
                 std::function<std::string(std::size_t)> event) {
  const auto write = [count, event = std::move(event)] {
    std::string more;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) more += ",\n";
      more += event(i);
    }
    return device_trace(more);
  };
  return made("kineto_" + std::move(name), kConvertDevice, "k.json", write, std::move(reports));
}

std::string op(double start, double duration, int thread = 10) {
  return complete("o", "cpu_op", start, duration, "{}", 10, thread);
}

std::string kernel(std::size_t i, std::size_t stream, double duration = 1) {
  return complete(
      "k", "kernel", 200.0 + static_cast<double>(i), duration,
      fmt::format(R"({{"correlation": {}, "device": 0, "stream": {}}})", i + 100, stream), 0,
      static_cast<int>(stream));
}

}  // namespace

std::vector<Case> kineto_cut_cases() {
  const std::string whole = device_trace();
  const auto until = [&](std::string_view mark, std::size_t further) {
    return whole.substr(0, whole.rfind(mark) + further);
  };
  const auto tail = [&](std::string_view more) {
    return whole.substr(0, whole.size() - 2) + std::string(more);
  };
  const std::string lost = "truncated_tail_dropped";
  return {
      device_survives("cut_in_a_name", until("gemm", 2), lost),
      device_survives("cut_in_a_number", until("12.0", 3), lost),
      device_survives("cut_in_a_key", until("\"stream\"", 4), lost),
      device_survives("cut_in_arguments", until("\"stream\"", 10), lost),
      device_survives("cut_behind_a_comma", until(",\n", 2), lost),
      device_survives("cut_in_an_escape", tail(R"(,{"ph": "X", "name": "a\)"), lost),
      device_survives("cut_in_a_unicode_escape", tail(R"(,{"ph": "X", "name": "a\u12)"), lost),
      device_survives("cut_in_a_utf8_character", tail(",{\"ph\": \"X\", \"name\": \"\xE2\x82"),
                      lost),
      device_survives("cut_before_the_bracket", until("]}", 0), lost),
      device_survives("cut_before_the_brace", until("]}", 1), lost),
      device_refused("cut_in_the_head", whole.substr(0, 40), "E2003"),
      device_refused("cut_before_the_events", until("[{", 1), "E2011"),
  };
}

std::vector<Case> kineto_text_cases() {
  const std::string whole = device_trace();
  const auto named = [](std::string_view name) { return complete(name, "cpu_op", 40, 1); };
  const std::string brackets = repeated("[", 200'000);
  const std::string closing = repeated("]", 200'000);
  std::string rest = whole.substr(1);
  return {
      device_refused("empty", "", "E2011"),
      device_refused("blank", std::string(1000, '\n'), "E2004"),
      device_refused("of_nothing", "{}", "E2004"),
      device_refused("without_events", R"({"traceEvents": []})", "E2011"),
      device_refused("of_metadata_only",
                     R"({"traceEvents": [{"ph": "M", "name": "process_name", "pid": 1, "ts": 1}]})",
                     "E2011"),
      device_refused("events_an_object", R"({"traceEvents": {"a": 1}})", "E2003"),
      device_refused("events_a_word", R"({"traceEvents": "x"})", "E2003"),
      device_refused("events_null", R"({"traceEvents": null})", "E2003"),
      device_refused("events_junk", R"({"traceEvents": ["a", 1, null, [], {}]})", "E2011"),
      device_survives("bare_array", "[" + sound_events() + "]", "rank_from_order"),
      survives("kineto_events_twice", "trace info k.json", "k.json",
               whole.substr(0, whole.size() - 1) + ", \"traceEvents\": [" + named("again") + "]}",
               "op 2"),
      with_event("control_characters", named("a\x01\n\x1B"), "json_repaired"),
      with_event("broken_utf8", named("a\xFF\xC3("), "json_repaired"),
      with_event("nul_in_a_name", named(std::string_view("a\0b", 3)), "json_repaired"),
      device_survives("nuls_behind_it", whole + std::string(5000, '\0'), "_dropped"),
      device_survives("byte_order_mark", "\xEF\xBB\xBF" + whole, "t.0.et"),
      device_refused(
          "in_utf16",
          [&] {
            std::string wide = "\xFF\xFE";
            for (const char c : whole) wide += std::string{c, '\0'};
            return wide;
          }(),
          "E2004"),
      with_event("deep_arguments", operator_with("args", brackets + closing),
                 "corrupt_record_dropped"),
      with_event("deep_objects", operator_with("args", repeated("{\"a\":", 200'000)), "_dropped"),
      with_event("deep_element", brackets + closing, "corrupt_record_dropped"),
      device_survives("deep_before_the_events",
                      "{\"x\": " + brackets + closing + ", " + std::move(rest), "string_cut"),
      device_survives("deep_behind_the_events",
                      whole.substr(0, whole.size() - 1) + ", \"x\": " + brackets + closing + "}",
                      "string_cut"),
      device_refused("deep_itself", repeated("{\"a\":", 200'000), "E2004"),
      {"kineto_names_talk_to_the_terminal",
       "trace info k.json",
       0,
       {},
       {{"k.json", device_trace(complete("\\u001b[31m</script>\\u0007", "kernel", 60, 10,
                                         R"({"stream": 7, "device": 0})", 0, 7))}},
       {},
       "?[31m</script>?"},
  };
}

std::vector<Case> kineto_value_cases() {
  std::vector<Case> cases;
  int number = 0;
  for (const char* start :
       {"NaN", "Infinity", "1e308", "1e400", "99999999999999999999", "-9223372036854775808", "null",
        "true", "\"x\"", "[]", "{}", "1.2.3", "0x10", "1e", ""}) {
    cases.push_back(
        with_event(fmt::format("start_{}", number++), operator_with("ts", start), "event_dropped"));
  }
  for (const char* duration : {"NaN", "-Infinity", "1e308", "1e400", "99999999999999999999", "-5",
                               "true", "\"x\"", "[]", "{}", "1.2.3"}) {
    cases.push_back(with_event(fmt::format("duration_{}", number++), operator_with("dur", duration),
                               "event_time_clamped"));
  }
  for (const char* phase : {"[]", "{}", "null", "true"}) {
    cases.push_back(
        with_event(fmt::format("phase_{}", number++), operator_with("ph", phase), "event_dropped"));
  }
  cases.push_back(with_event("phase_unknown", operator_with("ph", "\"?\""), "event_not_kept"));
  cases.push_back(with_event("name_missing", operator_with("name", ""), "event_dropped"));
  for (const char* key : {"pid", "tid", "cat", "args"}) {
    for (const char* value : {"", "[]", "{}", "null", "\"s\"", "-1.5", "1e99"}) {
      cases.push_back(
          with_event(fmt::format("{}_{}", key, number++), operator_with(key, value), "t.0.et"));
    }
  }
  for (const char* correlation :
       {"-1", "18446744073709551616", "1.5", "[12]", "null", "\"x\"", "0"}) {
    cases.push_back(with_event(
        fmt::format("correlation_{}", number++),
        complete("k", "kernel", 60, 5,
                 fmt::format(R"({{"correlation": {}, "device": 0, "stream": 7}})", correlation), 0,
                 7),
        "device_work_without_call"));
  }
  cases.push_back(with_event(
      "stream_a_word",
      complete("k", "kernel", 60, 5, R"({"correlation": 12, "device": "gpu", "stream": "s"})"),
      "t.0.et"));
  cases.push_back(
      with_event("correlation_repeated",
                 complete("cudaLaunchKernel", "cuda_runtime", 9, 1, R"({"correlation": 12})"),
                 "correlation_repeated"));
  cases.push_back(with_event("end_missing", operator_with("ph", "\"B\""), "event_unfinished"));
  cases.push_back(with_event("begin_missing", operator_with("ph", "\"E\""), "event_dropped"));
  return cases;
}

std::vector<Case> kineto_size_cases() {
  const auto at = [](std::size_t i) { return static_cast<double>(i); };
  std::vector<Case> cases = {
      device_made(
          "string_of_2_MB", 1, "string_cut",
          [](std::size_t) { return complete(std::string(2'000'000, 'a'), "cpu_op", 40, 1); }),
      device_made("a_million_overlaps", 1'000'000, "event_overlaps",
                  [=](std::size_t i) { return op(at(i), 1'000'001); }),
      device_made("stairs", 300'000, "event_overlaps",
                  [=](std::size_t i) { return op(at(i), 150'000); }),
      device_made("nested_deeply", 300'000, "t.0.et",
                  [=](std::size_t i) { return op(200 + at(i), 600'000 - 2 * at(i)); }),
      device_made("all_at_once", 300'000, "t.0.et", [=](std::size_t) { return op(200, 50); }),
      device_made("many_threads", 100'000, "inter_thread_guessed",
                  [=](std::size_t i) { return op(at(i), 10, static_cast<int>(i)); }),
      device_made("many_streams", 100'000, "device_work_without_call",
                  [](std::size_t i) { return kernel(i, i); }),
      device_made("overlaps_on_a_stream", 200'000, "device_work_without_call",
                  [](std::size_t i) { return kernel(i, 7, 300'000); }),
      device_made("one_correlation", 200'000, "t.0.et",
                  [=](std::size_t i) {
                    return complete("k", "kernel", 200 + at(i), 1,
                                    R"({"correlation": 12, "device": 0, "stream": 7})", 0, 7);
                  }),
      device_made("many_waits", 100'000, "t.0.et",
                  [=](std::size_t i) {
                    return i % 2 == 0
                               ? kernel(i, i)
                               : complete("cudaDeviceSynchronize", "cuda_runtime", 200 + at(i), 0.5,
                                          fmt::format(R"({{"correlation": {}}})", 1e7 + at(i)));
                  }),
      device_made("many_ends_missing", 200'000, "event_unfinished",
                  [](std::size_t) { return operator_with("ph", "\"B\""); }),
  };
  const auto step = [=](std::size_t i) {
    return complete(fmt::format("ProfilerStep#{}", i), "user_annotation", at(i), 1);
  };
  Case steps = device_made("many_iterations", 100'000, "", step);
  steps.command = "trace slice k.json --iteration 100001 -o c.json";
  steps.exit_code = 2;
  steps.says = {"iteration 100001 does not exist"};
  cases.push_back(std::move(steps));
  for (const bool closed : {true, false}) {
    cases.push_back({fmt::format("kineto_string_of_20_MB_{}", closed ? "closed" : "open"),
                     kConvertDevice,
                     5,
                     {"k.json:byte ", "E4000"},
                     {},
                     [closed](const fs::path& folder) {
                       std::string text = device_trace();
                       text.resize(text.size() - 2);
                       put(folder / "k.json", text + ", {\"ph\": \"X\", \"name\": \"" +
                                                  repeated("a", 20'000'000) +
                                                  (closed ? "\"}]}" : ""));
                     }});
  }
  return cases;
}

}  // namespace orrery::hostile
