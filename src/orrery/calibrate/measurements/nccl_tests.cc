// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/nccl_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "orrery/calibrate/measurements/nccl_tests_row.h"
#include "orrery/calibrate/measurements/text_lines.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/units.h"

namespace orrery::calibrate {
namespace {

using std::string_view;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_'; }

/// "all_reduce_perf" in "srun ./build/all_reduce_perf -b 8"; empty when there is none.
string_view program_name(string_view line) {
  constexpr string_view kEnd = "_perf";
  std::size_t end = 0;
  while ((end = line.find(kEnd, end)) != string_view::npos) {
    std::size_t begin = end;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    while (end < line.size() && is_word(line[end])) ++end;
    const string_view word = line.substr(begin, end - begin);
    if (find_collective(word) != nullptr || is_unmodeled_collective(word)) return word;
  }
  return {};
}

/// The word after `key`, up to a blank.
string_view word_after(string_view line, string_view key) {
  const std::size_t found = line.find(key);
  if (found == string_view::npos) return {};
  const string_view rest = trim_cell(line.substr(found + key.size()));
  return rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
}

class NcclTestsParser {
 public:
  NcclTestsParser(trace::ByteSource& source, const std::string& where, MeasurementSink& into)
      : lines_(source, where), into_(into) {
    run_.where = where;
  }

  Result<void> read() {
    string_view line;
    while (true) {
      const Result<bool> more = lines_.next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      line = without_colors(trim_cell(line), plain_);
      if (line.empty()) continue;
      const string_view text = benchmark_comment(line);
      const Result<void> done = text.empty() ? other(line) : comment(text.substr(1));
      if (!done) return done;
    }
    return end_run();
  }

 private:
  /// Adds the rows of the run and resets it, except for library, version and tool.
  Result<void> end_run() {
    if (run_.rows.empty()) return {};
    if (run_.collective_name.empty() && programs_.size() == 1)
      run_.collective_name = *programs_.begin();
    if (run_.devices.ranks() == 0) {
      run_.ranks = log_.ranks;
      run_.nodes = log_.nodes;
    }
    if (!wrong_rows_ && failed_)
      into_.findings.add(FindingCode::measured_wrong, run_.rows.back().place);
    Result<void> done = finish_benchmark(run_, into_);
    BenchmarkRun next;
    next.where = run_.where;
    next.library = std::move(run_.library);
    next.version = std::move(run_.version);
    next.tool = std::move(run_.tool);
    next.forced = exported_settings_;
    run_ = std::move(next);
    log_ = std::exchange(next_log_, {});
    has_settings_ = false;
    programs_.clear();
    wrong_rows_ = failed_ = false;
    return done;
  }

  /// A program prints its settings once, before NCCL begins: earlier lines of NCCL are of the
  /// program before it.
  Result<void> begin_program() {
    const bool has_earlier_log = has_settings_ || !run_.rows.empty();
    if (auto ended = end_run(); !ended) return ended;
    if (has_earlier_log) log_ = {};
    has_settings_ = true;
    return {};
  }

  /// Reads settings. Settings on the command line of a program, and those that NCCL prints, apply
  /// to this run; all others apply to all later runs.
  void settings(string_view line, bool has_program) {
    if (line.find("NCCL_ALGO") == string_view::npos && line.find("NCCL_PROTO") == string_view::npos)
      return;
    if (!has_program && line.find("set by environment") == string_view::npos)
      exported_settings_.parse(line);
    if (run_.rows.empty()) run_.forced.parse(line);
  }

  Result<void> comment(string_view text) {
    settings(text, false);
    const std::vector<string_view> words = split_words(text);
    const string_view first = words.empty() ? string_view() : words.front();
    if (text.find("Collective test starting:") != string_view::npos) {
      if (auto ended = end_run(); !ended) return ended;
      run_.collective_name = name_text(program_name(text));
    } else if (first == "nThread") {
      if (auto ended = begin_program(); !ended) return ended;
    } else if (text.find("Using devices") != string_view::npos ||
               text.find("-tests version") != string_view::npos) {
      if (auto ended = end_run(); !ended) return ended;
    } else if (first == "Rank") {
      if (auto ended = end_run(); !ended) return ended;
      device(text, words);
    } else if (text.find("Out of bounds values") != string_view::npos) {
      failed_ = text.find("FAILED") != string_view::npos;
    } else if (layout_.parse_header(words)) {
      if (next_log_.ranks > 0)
        if (auto ended = end_run(); !ended) return ended;
      layout_.set_in_place(is_in_place_title_);
    }
    is_in_place_title_ = text.find("in-place") != string_view::npos &&
                         text.find("out-of-place") == string_view::npos;
    if (const string_view version = word_after(text, "nccl-tests version"); !version.empty())
      run_.tool = name_text("nccl-tests " + std::string(version));
    versions(text);
    return {};
  }

  /// "#  Rank  0 Group  0 Pid  1234 on host device  0 [0x07] NVIDIA H100 80GB HBM3"; older versions
  /// print no group.
  void device(string_view text, const std::vector<string_view>& words) {
    std::int64_t group = 0, rank = -1;
    string_view host;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "Rank") rank = parse_integer(words[i + 1]).value_or(-1);
      if (words[i] == "Group") group = parse_integer(words[i + 1]).value_or(0);
      if (words[i] == "on") host = words[i + 1];
      if (words[i] == "device") break;
    }
    const std::size_t name = text.find("] ", std::min(text.find(" device "), text.size()));
    if (rank < 0 || host.empty() || name == string_view::npos) {
      into_.findings.add(FindingCode::corrupt_record_dropped, lines_.place());
      return;
    }
    run_.devices.add(group, rank, host, text.substr(name + 2));
  }

  void versions(string_view text) {
    for (const string_view library : {"nccl", "rccl"}) {
      const std::string key = std::string(library) + "-library=";
      const std::string version = nccl_version_text(word_after(text, key));
      if (version.empty()) continue;
      run_.library = library;
      run_.version = version;
    }
  }

  Result<void> other(string_view line) {
    read_nccl_log_line(line, into_.log);
    read_nccl_log_line(line, run_.rows.empty() ? log_ : next_log_);
    if (layout_.is_known()) {
      std::vector<string_view> words = split_words(line);
      if (take_row(words, layout_.type_column())) return row(words);
    }
    const string_view program = program_name(line);
    if (!program.empty()) {
      if (auto ended = end_run(); !ended) return ended;
      programs_.emplace(program);
      run_.forced = exported_settings_;
    }
    settings(line, !program.empty());
    if (const string_view version = word_after(line, "rccl-tests: Version"); !version.empty())
      run_.tool = name_text("rccl-tests " + std::string(version));
    // "NCCL version 2.20.5+cuda12.4", "RCCL version : 2.27.7-HEAD:0d2c4fd"
    for (const auto& [key, library] :
         {std::pair{"NCCL version", "nccl"}, std::pair{"RCCL version", "rccl"}}) {
      string_view version = word_after(line, key);
      if (version == ":") version = word_after(line, std::string(key) + " :");
      if (version.empty() || !is_digit(version.front())) continue;
      run_.library = library;
      run_.version = name_text(version.substr(0, version.find_first_of("+-")));
    }
    return {};
  }

  Result<void> row(const std::vector<string_view>& words) {
    const std::size_t before = run_.rows.size();
    if (before + into_.rows.size() > limits::kMeasuredCollectives)
      return fail(Errc::limit_exceeded, lines_.place(),
                  fmt::format("more than {} measurements", limits::kMeasuredCollectives));
    double wrong = 0;
    if (!layout_.parse_row(words, run_.rows, wrong)) {
      run_.rows.resize(before);
      into_.findings.add(FindingCode::corrupt_record_dropped, lines_.place());
      return {};
    }
    for (std::size_t i = before; i < run_.rows.size(); ++i) run_.rows[i].place = lines_.place();
    if (wrong > 0) {
      into_.findings.add(FindingCode::measured_wrong, lines_.place());
      wrong_rows_ = true;
    }
    return {};
  }

  TextLines lines_;
  std::string plain_;  // the line without colors
  MeasurementSink& into_;
  BenchmarkRun run_;
  NcclLog log_;                       // of the run
  NcclLog next_log_;                  // of the run after it: lines behind rows
  bool has_settings_ = false;         // the settings of the run's program were printed
  ForcedSettings exported_settings_;  // for all later runs
  TableLayout layout_;
  std::set<std::string, std::less<>> programs_;  // benchmark programs named above the run
  bool is_in_place_title_ = false;               // the previous line titles only in-place columns
  bool wrong_rows_ = false, failed_ = false;
};

}  // namespace

Result<void> read_nccl_tests(trace::ByteSource& source, const std::string& where,
                             MeasurementSink& into) {
  return NcclTestsParser(source, where, into).read();
}

std::string nccl_version_text(std::string_view number) {
  const std::int64_t code = parse_integer(number).value_or(0);
  if (code < 1000 || code > 999999) return {};
  // NCCL_VERSION in nccl.h: from 2.9 on, the major version is shifted by one more digit.
  const std::int64_t unit = code < 10000 ? 1000 : 10000;
  return fmt::format("{}.{}.{}", code / unit, code % unit / 100, code % 100);
}

}  // namespace orrery::calibrate
