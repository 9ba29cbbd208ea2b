// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/model/kernels/lines.h"

namespace orrery::model {
namespace {

using graph::Kernel;
using std::string_view;

constexpr string_view kHeaders =
    "\"device,kernel,us\" or \"device,operation,pass,a,b,out,traits,<sizes>,us\"";
constexpr std::array<string_view, 7> kFirstColumns = {"device", "operation", "pass",  "a",
                                                      "b",      "out",       "traits"};

template <std::size_t count, class Named>
std::vector<string_view> all_names(Named name_of) {
  std::vector<string_view> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(name_of(i));
  return names;
}
std::vector<string_view> operation_names() {
  return all_names<graph::kOperations>(
      [](std::size_t i) { return name(static_cast<graph::Operation>(i)); });
}
std::vector<string_view> pass_names() {
  return all_names<graph::kPasses>([](std::size_t i) { return name(static_cast<graph::Pass>(i)); });
}
std::vector<string_view> format_names() {
  return all_names<graph::kFormats>(
      [](std::size_t i) { return name(static_cast<graph::Format>(i)); });
}
std::vector<string_view> trait_names() {
  return all_names<graph::kTraits>([](std::size_t i) { return graph::trait_name(i); });
}

Error wrong_word(string_view what, string_view word, const std::vector<string_view>& words,
                 const std::string& place) {
  std::string hint = did_you_mean(word, words);
  if (hint.empty()) hint = "one of " + join(words);
  return {Errc::input_corrupt, place, fmt::format("{} is no {}", in_quotes(word), what),
          std::move(hint)};
}

/// What keeps `word`, which holds '=', from being a size of kernels of `operation`.
std::optional<Error> size_mistake(string_view word, graph::Operation operation,
                                  const std::string& place) {
  const string_view key = word.substr(0, word.find('='));
  const auto names = graph::size_names(operation);
  std::vector<string_view> keys(names.begin(), names.end());
  keys.insert(keys.end(), {"launches", "flops", "bytes"});
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    return wrong_word(fmt::format("size of kernels of {}", name(operation)), key, keys, place);
  const Result<std::int64_t> number = parse_integer(word.substr(key.size() + 1), place);
  if (!number) return Error{Errc::input_corrupt, place, number.error().what};
  if (*number < 1 || (key == "launches" && (*number < 2 || *number > 0xffffffff)))
    return Error{Errc::input_range, place, in_quotes(word) + " is out of range",
                 key == "launches" ? "a single launch is not written" : "leave out sizes of 0"};
  return std::nullopt;
}

/// Why parse_kernel does not read `text`.
Error kernel_mistake(string_view text, const std::string& place) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find(' '), text.size());
    const string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  };
  const string_view operation_word = next();
  const auto operation = graph::operation_of(operation_word);
  if (!operation) return wrong_word("operation", operation_word, operation_names(), place);
  const std::vector<string_view> passes = pass_names();
  const string_view pass = next();
  if (std::find(passes.begin(), passes.end(), pass) == passes.end())
    return wrong_word("pass", pass, passes, place);
  string_view formats = next();
  const std::size_t comma = formats.find(','), arrow = formats.find('>');
  if (comma == string_view::npos || arrow == string_view::npos || comma > arrow)
    return {Errc::input_corrupt, place, in_quotes(formats) + " where formats belong",
            "formats are such as bf16,bf16>fp32: of both inputs and of the output"};
  for (const string_view word :
       {formats.substr(0, comma), formats.substr(comma + 1, arrow - comma - 1),
        formats.substr(arrow + 1)})
    if (!graph::format_of(word)) return wrong_word("format", word, format_names(), place);
  const std::vector<string_view> traits = trait_names();
  while (!text.empty()) {
    const string_view word = next();
    if (word.find('=') != string_view::npos) {
      if (auto mistake = size_mistake(word, *operation, place)) return *mistake;
    } else if (std::find(traits.begin(), traits.end(), word) == traits.end()) {
      return wrong_word("trait", word, traits, place);
    }
  }
  return {Errc::input_corrupt, place, "gives a size or a trait twice"};
}

Result<double> seconds_of(string_view cell, const std::string& place) {
  const Result<double> us = parse_number(cell, place);
  if (!us)
    return fail(Errc::input_corrupt, place, in_quotes(cell) + " is no time in microseconds",
                "leave out rows of kernels that were not measured");
  if (!(*us > 0) || !(*us < 1e15))
    return fail(Errc::input_range, place,
                fmt::format("a time of {} us; times are above 0", trimmed_cell(cell)),
                "leave out rows of kernels that were not measured");
  return *us * 1e-6;
}

/// Reads rows once the header is known.
class MeasuredReader {
 public:
  MeasuredReader(string_view text, const std::string& where) : lines_(text, where) {
    measured_.where = where;
  }

  Result<MeasuredRows> read() {
    string_view line;
    bool has_header = false;
    while (lines_.next(line)) {
      if (line.empty() || line.front() == '#') continue;
      const Result<void> done = has_header ? row(line) : header(line);
      if (!done) return tl::unexpected(done.error());
      has_header = true;
    }
    if (measured_.rows.empty())
      return fail(Errc::input_empty, measured_.where, "has no measured kernels",
                  fmt::format("rows stand below a header, {}", kHeaders));
    return std::move(measured_);
  }

 private:
  Result<void> header(string_view line) {
    if (!split_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has quotes that do not close a cell");
    if (cells_ == std::vector<string_view>{"device", "kernel", "us"}) return {};
    in_columns_ = cells_.size() > kFirstColumns.size() &&
                  std::equal(kFirstColumns.begin(), kFirstColumns.end(), cells_.begin()) &&
                  cells_.back() == "us";
    if (!in_columns_)
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(line) + " is not the header of a table of kernels",
                  fmt::format("begin with {}", kHeaders));
    for (std::size_t i = kFirstColumns.size(); i + 1 < cells_.size(); ++i) {
      size_columns_.emplace_back(cells_[i]);
      if (std::count(size_columns_.begin(), size_columns_.end(), cells_[i]) > 1)
        return fail(Errc::input_corrupt, lines_.place(),
                    fmt::format("column {} stands there twice", in_quotes(cells_[i])));
    }
    return {};
  }

  Result<void> row(string_view line) {
    if (measured_.rows.size() >= limits::kMeasuredKernels)
      return fail(Errc::limit_exceeded, lines_.place(),
                  fmt::format("more than {} rows", limits::kMeasuredKernels));
    return in_columns_ ? row_in_columns(line) : row_of_text(line);
  }

  /// device,kernel,us: the kernel holds a comma and may be without quotes.
  Result<void> row_of_text(string_view line) {
    const std::size_t first = line.find(','), last = line.rfind(',');
    if (first == string_view::npos || first == last)
      return fail(Errc::input_corrupt, lines_.place(), in_quotes(line) + " is no row",
                  "a row is device,\"kernel\",us");
    string_view kernel = trimmed_cell(line.substr(first + 1, last - first - 1));
    if (kernel.size() > 1 && kernel.front() == '"' && kernel.back() == '"')
      kernel = trimmed_cell(kernel.substr(1, kernel.size() - 2));
    string_view device = trimmed_cell(line.substr(0, first));
    if (device.size() > 1 && device.front() == '"' && device.back() == '"')
      device = device.substr(1, device.size() - 2);
    return add(device, kernel, line.substr(last + 1));
  }

  Result<void> row_in_columns(string_view line) {
    if (!split_row(line, cells_, kept_))
      return fail(Errc::input_corrupt, lines_.place(), "has quotes that do not close a cell");
    const std::size_t wanted = kFirstColumns.size() + size_columns_.size() + 1;
    if (cells_.size() != wanted)
      return fail(Errc::input_corrupt, lines_.place(),
                  fmt::format("{} cells where the header has {}", cells_.size(), wanted));
    text_.clear();
    fmt::format_to(std::back_inserter(text_), "{} {} {},{}>{}", cells_[1], cells_[2], cells_[3],
                   cells_[4], cells_[5]);
    for (std::size_t i = 0; i < size_columns_.size(); ++i) {
      const string_view value = cells_[kFirstColumns.size() + i];
      if (value.empty() || value == "0" || (size_columns_[i] == "launches" && value == "1"))
        continue;
      fmt::format_to(std::back_inserter(text_), " {}={}", size_columns_[i], value);
    }
    std::string traits(cells_[6]);
    std::replace(traits.begin(), traits.end(), '+', ' ');
    if (!traits.empty()) text_ += " " + traits;
    return add(cells_[0], text_, cells_.back());
  }

  Result<void> add(string_view device, string_view text, string_view us) {
    MeasuredKernel row;
    const std::optional<Kernel> kernel = graph::parse_kernel(text);
    if (!kernel) return tl::unexpected(kernel_mistake(text, lines_.place()));
    const Result<double> seconds = seconds_of(us, lines_.place());
    if (!seconds) return tl::unexpected(seconds.error());
    if (device.empty())
      return fail(Errc::input_corrupt, lines_.place(), "names no device",
                  "write what the cluster file calls it");
    if (!is_plain(device))
      return fail(Errc::input_corrupt, lines_.place(),
                  in_quotes(device) + " is not the name of a device");
    const auto found = devices_.find(device);
    row.device = found != devices_.end() ? found->second : new_device(device);
    row.kernel = *kernel;
    row.seconds = *seconds;
    row.line = static_cast<std::uint32_t>(lines_.number());
    measured_.rows.push_back(row);
    return {};
  }

  static bool is_plain(string_view device) {
    return device.size() <= kShownBytes && printable(device) == device;
  }
  std::uint32_t new_device(string_view device) {
    const auto id = static_cast<std::uint32_t>(measured_.devices.size());
    measured_.devices.emplace_back(device);
    devices_.emplace(std::string(device), id);
    return id;
  }

  Lines lines_;
  MeasuredRows measured_;
  std::map<std::string, std::uint32_t, std::less<>> devices_;
  bool in_columns_ = false;
  std::vector<std::string> size_columns_;
  std::vector<string_view> cells_;
  std::vector<std::string> kept_;
  std::string text_;
};

}  // namespace

Result<MeasuredRows> parse_measured(string_view text, const std::string& where) {
  if (text.size() > limits::kMeasuredBytes)
    return fail(Errc::limit_exceeded, where, "larger than a table of kernels may be");
  return MeasuredReader(text, where).read();
}

Result<MeasuredRows> read_measured(const std::string& path) {
  const Result<std::string> text = config::read_text(path, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_measured(*text, path);
}

}  // namespace orrery::model
