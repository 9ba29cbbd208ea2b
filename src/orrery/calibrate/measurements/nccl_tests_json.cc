// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "orrery/calibrate/measurements/json_fields.h"
#include "orrery/calibrate/measurements/nccl_tests.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/units.h"
#include "orrery/trace/io/json_document.h"

namespace orrery::calibrate {
namespace {

namespace ondemand = simdjson::ondemand;
using std::string_view;

constexpr double kHalfDigit = 0.5e-6;  // rounding error: numbers have six decimal places

class NcclTestsJsonParser {
 public:
  NcclTestsJsonParser(trace::ByteSource& source, const std::string& where, MeasurementSink& into)
      : document_(source, where, into.findings), into_(into) {
    run_.where = where;
    run_.tool = "nccl-tests";
  }

  Result<void> read() {
    while (true) {
      const Result<bool> more = document_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (auto taken = member(std::string(document_.key())); !taken) return taken;
    }
    if (!has_results_)
      return fail(Errc::input_unsupported, run_.where,
                  "this JSON contains no nccl-tests results (\"results\")");
    count_ranks();
    return finish_benchmark(run_, into_);
  }

 private:
  Result<void> member(const std::string& key) {
    if (key == "results" && document_.is_array()) {
      has_results_ = true;
      const auto handle = [&](ondemand::object& element, std::uint64_t) { return result(element); };
      if (auto read = document_.for_each_element(handle); !read) return read;
      return full_ ? fail(Errc::limit_exceeded, run_.where,
                          fmt::format("more than {} measurements", limits::kMeasuredCollectives))
                   : Result<void>();
    }
    if (key != "nccl_version" && key != "args" && key != "config" && key != "devices" &&
        key != "out_of_bounds" && key != "env" && key != "start_time")
      return {};
    const Result<string_view> value = document_.value();
    if (!value) return tl::unexpected(value.error());
    const std::string wrapped = fmt::format("{{\"{}\":{}}}", key, *value);
    bool repaired = false;
    const auto object = record_.parse(wrapped, repaired);
    if (repaired) into_.findings.add(FindingCode::json_repaired, document_.place());
    if (!object) {
      into_.findings.add(FindingCode::corrupt_record_dropped, document_.place());
      return {};
    }
    if (key == "nccl_version") version(*object);
    if (key == "args") program(*object);
    if (key == "env") environment(*object);
    if (key == "start_time") run_.date = leading_date(text_field(*object, key));
    if (key == "devices") devices(*object);
    if (const auto inner = object_field(*object, key)) {
      if (key == "config") config(*inner);
      if (key == "out_of_bounds" && integer_field(*inner, "count").value_or(0) > 0 && !wrong_rows_)
        into_.findings.add(FindingCode::measured_wrong, document_.place());
    }
    return {};
  }

  void version(const JsonObject& object) {
    const auto code = integer_field(object, "nccl_version");
    run_.version = nccl_version_text(std::to_string(code.value_or(0)));
    if (!run_.version.empty()) run_.library = "nccl";
  }

  void program(const JsonObject& object) {
    simdjson::dom::array words;
    if (object["args"].get_array().get(words) != simdjson::SUCCESS || words.size() == 0) return;
    string_view word;
    if (words.at(0).get_string().get(word) != simdjson::SUCCESS) return;
    word.remove_prefix(std::min(word.rfind('/') + 1, word.size()));
    if (run_.collective_name.empty()) run_.collective_name = name_text(word);
  }

  /// Reads only settings that force a choice, because the environment is private.
  void environment(const JsonObject& object) {
    simdjson::dom::array list;
    if (object["env"].get_array().get(list) != simdjson::SUCCESS) return;
    for (const simdjson::dom::element element : list) {
      string_view word;
      if (element.get_string().get(word) != simdjson::SUCCESS) continue;
      if (word.starts_with("NCCL_ALGO=") || word.starts_with("NCCL_PROTO="))
        run_.forced.parse(word);
    }
  }

  void config(const JsonObject& object) {
    const std::int64_t threads = integer_field(object, "nthreads").value_or(1);
    const std::int64_t devices_of_thread = integer_field(object, "ngpus").value_or(1);
    constexpr auto kMax = static_cast<std::int64_t>(limits::kRanks);
    if (threads > 0 && threads < kMax && devices_of_thread > 0 && devices_of_thread < kMax)
      per_process_ = threads * devices_of_thread;
    devices(object);
  }

  void devices(const JsonObject& object) {
    simdjson::dom::array list;
    if (object["devices"].get_array().get(list) != simdjson::SUCCESS) return;
    std::int64_t next = 0;
    for (const simdjson::dom::element element : list) {
      JsonObject device;
      if (element.get_object().get(device) != simdjson::SUCCESS) continue;
      run_.devices.add(integer_field(device, "group").value_or(0),
                       integer_field(device, "rank").value_or(next++),
                       text_field(device, "hostname"), text_field(device, "device_info"));
    }
  }

  /// Counts ranks. If all listed ranks are the first of their process, each listed device
  /// represents all devices of its process.
  void count_ranks() {
    const std::set<std::int64_t>& ranks = run_.devices.rank_numbers();
    const bool of_processes = std::all_of(
        ranks.begin(), ranks.end(), [&](std::int64_t rank) { return rank % per_process_ == 0; });
    const std::int64_t count = run_.devices.ranks() * (of_processes ? per_process_ : 1);
    run_.ranks =
        count < static_cast<std::int64_t>(limits::kRanks) ? static_cast<std::int32_t>(count) : 0;
  }

  bool result(ondemand::object& element) {
    string_view text;
    bool repaired = false;
    if (element.raw_json().get(text) != simdjson::SUCCESS) return false;
    const auto object = record_.parse(text, repaired);
    if (!object || repaired) return false;  // the caller repairs the text and calls again
    ++number_;
    BenchmarkRow both;
    both.place = fmt::format("{}:/results/{}", run_.where, number_ - 1);
    both.bytes = integer_field(*object, "size").value_or(0);
    both.dtype = name_text(text_field(*object, "type"));
    const string_view redop = text_field(*object, "redop");
    both.reduces = !redop.empty() && redop != "none";
    if (const auto root = text_field(*object, "root"); !root.empty())
      if (const auto number = parse_integer(root)) both.rooted = *number >= 0;
    const string_view name = text_field(*object, "experiment_name");
    if (find_collective(name) != nullptr || is_unmodeled_collective(name))
      run_.collective_name = name;
    place(*object, "out_of_place", both);
    both.in_place = true;
    place(*object, "in_place", both);
    return true;
  }

  void place(const JsonObject& object, string_view key, BenchmarkRow row) {
    const auto body = object_field(object, key);
    if (!body) return;
    const auto field = [&](string_view name) -> std::optional<PrintedNumber> {
      const auto number = number_field(*body, name);
      if (!number || *number < 0) return std::nullopt;
      return PrintedNumber{*number, kHalfDigit};
    };
    auto time = field("time");
    row.host_time = !time;
    if (!time) time = field("cpu_time");
    if (time) row.time_us = *time;
    row.algbw = field("alg_bw");
    row.busbw = field("bus_bw");
    if (number_field(*body, "nwrong").value_or(0) > 0) {
      into_.findings.add(FindingCode::measured_wrong, row.place);
      wrong_rows_ = true;
    }
    full_ = full_ || run_.rows.size() >= limits::kMeasuredCollectives;
    if (!full_) run_.rows.push_back(std::move(row));
  }

  trace::json::Document document_;
  MeasurementSink& into_;
  BenchmarkRun run_;
  JsonRecordParser record_;
  std::int64_t per_process_ = 1;
  std::uint64_t number_ = 0;
  bool has_results_ = false, wrong_rows_ = false, full_ = false;
};

}  // namespace

Result<void> read_nccl_tests_json(trace::ByteSource& source, const std::string& where,
                                  MeasurementSink& into) {
  return NcclTestsJsonParser(source, where, into).read();
}

}  // namespace orrery::calibrate
