// SPDX-License-Identifier: Apache-2.0
//
// Reads SCALE-Sim's configuration of an array.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/model/kernels/systolic/systolic_files.h"

namespace orrery::model {

namespace {

constexpr std::int64_t kLongestSide = 1 << 20;   // rows or columns of an array
constexpr std::int64_t kMaxKilobytes = 1 << 30;  // per SRAM
constexpr std::int64_t kUsualKilobytes = 64;
constexpr double kUsualBandwidth = 10;
constexpr std::size_t kMaxKeys = 4096;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

/// A key of SCALE-Sim. `used`: it has an effect here.
struct KnownKey {
  std::string_view section;
  std::string_view key;  // in lower case
  bool used = false;
};
constexpr KnownKey kKnownKeys[] = {
    {"general", "run_name", true},
    {"architecture_presets", "arrayheight", true},
    {"architecture_presets", "arraywidth", true},
    {"architecture_presets", "ifmapsramszkb", true},
    {"architecture_presets", "filtersramszkb", true},
    {"architecture_presets", "ofmapsramszkb", true},
    {"architecture_presets", "ifmapoffset"},
    {"architecture_presets", "filteroffset"},
    {"architecture_presets", "ofmapoffset"},
    {"architecture_presets", "bandwidth", true},
    {"architecture_presets", "dataflow", true},
    {"architecture_presets", "memorybanks"},
    {"architecture_presets", "readrequestbuffer"},
    {"architecture_presets", "writerequestbuffer"},
    {"run_presets", "interfacebandwidth", true},
    {"run_presets", "useramulatortrace"},
};

struct IniValue {
  std::string text;
  std::string place;
};

/// Values by "section/key" in lower case.
using IniKeys = std::map<std::string, IniValue, std::less<>>;

Result<IniKeys> read_ini(std::string_view text, const std::string& where) {
  IniKeys keys;
  TrimmedLineReader lines(text, where);
  std::string_view line;
  std::string section;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      if (line.back() != ']')
        return fail(Errc::config_syntax, lines.place(), in_quotes(line) + " has no closing ]",
                    "write a section as a line such as [architecture_presets]");
      section = lower_case(trim_cell(line.substr(1, line.size() - 2)));
      continue;
    }
    const std::size_t sign = line.find_first_of("=:");
    if (sign == std::string_view::npos || sign == 0)
      return fail(Errc::config_syntax, lines.place(), in_quotes(line) + " is not \"key = value\"",
                  "begin comments with # or ;");
    const std::string key = lower_case(trim_cell(line.substr(0, sign)));
    if (section.empty())
      return fail(Errc::config_syntax, lines.place(),
                  in_quotes(key) + " is before the first section",
                  "write [general] or [architecture_presets] before it");
    const auto [at, is_new] =
        keys.try_emplace(section + "/" + key,
                         IniValue{std::string(trim_cell(line.substr(sign + 1))), lines.place()});
    if (!is_new)
      return fail(Errc::config_syntax, lines.place(),
                  fmt::format("{} is given twice, first at {}", in_quotes(key), at->second.place),
                  "keep one of the lines");
    if (keys.size() > kMaxKeys)
      return fail(Errc::limit_exceeded, lines.place(), fmt::format("more than {} keys", kMaxKeys));
  }
  return keys;
}

/// Reads keys of [architecture_presets] and other sections; stores the first error.
class IniReader {
 public:
  IniReader(const IniKeys& keys, std::string where, Findings& findings)
      : keys_(keys), where_(std::move(where)), findings_(findings) {}

  /// An integer. `fallback`: value without the key; empty: the key is required.
  std::int64_t whole(std::string_view key, std::int64_t minimum, std::int64_t maximum,
                     std::optional<std::int64_t> fallback) {
    const IniValue* value = find(key, fallback.has_value());
    if (value == nullptr) return fallback.value_or(minimum);
    const Result<std::int64_t> number = parse_integer(value->text, value->place);
    if (!number) return keep(number.error()), minimum;
    if (*number >= minimum && *number <= maximum) return *number;
    keep({Errc::config_range, value->place,
          fmt::format("{} is {}, but must be from {} to {}", key, *number, minimum, maximum)});
    return minimum;
  }
  double positive(std::string_view key, double fallback) {
    const IniValue* value = find(key, true);
    if (value == nullptr) return fallback;
    // SCALE-Sim accepts a list with one bandwidth per interface; in practice all are equal.
    const std::string_view first = std::string_view(value->text).substr(0, value->text.find(','));
    const Result<double> number = parse_number(first, value->place);
    if (!number) return keep(number.error()), fallback;
    if (*number > 0) return *number;
    keep({Errc::config_range, value->place, fmt::format("{} must be above 0", key)});
    return fallback;
  }
  /// The index in `words`; 0 if the key is missing and may be.
  std::size_t choice(std::string_view key, std::span<const std::string_view> words,
                     bool may_be_missing) {
    const IniValue* value = find(key, may_be_missing);
    if (value == nullptr) return 0;
    const auto found = std::find(words.begin(), words.end(), lower_case(value->text));
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    keep({Errc::config_range, value->place,
          fmt::format("{} {} is not one of {}", key, in_quotes(value->text), join(words)),
          did_you_mean(value->text, words)});
    return 0;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  void keep(Error error) {
    if (!error_) error_ = std::move(error);
  }
  const IniValue* find(std::string_view key, bool may_be_missing) {
    const auto found = keys_.find(lower_case(key));
    if (found != keys_.end()) return &found->second;
    if (may_be_missing) {
      findings_.add(FindingCode::default_assumed, fmt::format("{}:{}", where_, key));
    } else {
      keep({Errc::config_missing_key, where_, fmt::format("{} is missing", key),
            "SCALE-Sim's configs/scale.cfg contains all keys"});
    }
    return nullptr;
  }

  const IniKeys& keys_;
  std::string where_;
  Findings& findings_;
  std::optional<Error> error_;
};

void report_rest(const IniKeys& keys, Findings& findings) {
  for (const auto& [name, value] : keys) {
    const std::string_view section = std::string_view(name).substr(0, name.find('/'));
    const std::string_view key = std::string_view(name).substr(section.size() + 1);
    const auto known =
        std::find_if(std::begin(kKnownKeys), std::end(kKnownKeys),
                     [&](const KnownKey& one) { return one.section == section && one.key == key; });
    if (known != std::end(kKnownKeys) && known->used) continue;
    const bool whole_section = section == "layout" || section == "sparsity";
    findings.add(known != std::end(kKnownKeys) || whole_section ? FindingCode::key_without_effect
                                                                : FindingCode::key_ignored,
                 fmt::format("{} ({})", value.place, printable(name, kShownBytes)));
  }
}

}  // namespace

Result<SystolicConfig> parse_systolic_config(std::string_view text, const std::string& where,
                                             Findings& findings) {
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, where, "larger than the limit for a configuration");
  const Result<IniKeys> keys = read_ini(text, where);
  if (!keys) return tl::unexpected(keys.error());
  IniReader reader(*keys, where, findings);
  SystolicConfig config;
  if (const auto name = keys->find("general/run_name"); name != keys->end())
    config.name = name->second.text;
  SystolicArray& array = config.array;
  array.rows = reader.whole("architecture_presets/ArrayHeight", 1, kLongestSide, std::nullopt);
  array.columns = reader.whole("architecture_presets/ArrayWidth", 1, kLongestSide, std::nullopt);
  constexpr std::string_view kFlowWords[] = {"os", "ws", "is"};
  array.flow =
      static_cast<DataFlow>(reader.choice("architecture_presets/Dataflow", kFlowWords, false));
  const auto kilobytes = [&](std::string_view key) {
    return reader.whole(key, 0, kMaxKilobytes, kUsualKilobytes) << 10;
  };
  array.ifmap_bytes = kilobytes("architecture_presets/IfmapSramSzkB");
  array.filter_bytes = kilobytes("architecture_presets/FilterSramSzkB");
  array.ofmap_bytes = kilobytes("architecture_presets/OfmapSramSzkB");
  array.bandwidth = reader.positive("architecture_presets/Bandwidth", kUsualBandwidth);
  constexpr std::string_view kModes[] = {"calc", "user"};
  array.stalls = reader.choice("run_presets/InterfaceBandwidth", kModes, true) == 1;
  if (reader.error()) return tl::unexpected(*reader.error());
  report_rest(*keys, findings);
  return config;
}

Result<SystolicConfig> read_systolic_config(const std::string& path, Findings& findings) {
  const Result<std::string> text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_systolic_config(*text, path, findings);
}

// Reads SCALE-Sim's topologies.

namespace {

constexpr std::string_view kConvColumns =
    "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides";
constexpr std::string_view kGemmColumns = "Layer, M, N, K";
constexpr std::size_t kConvNumbers = 7;
constexpr std::size_t kGemmNumbers = 3;

Result<std::array<std::int64_t, kConvNumbers>> numbers_of(
    const std::vector<std::string_view>& cells, std::size_t count, const std::string& place) {
  std::array<std::int64_t, kConvNumbers> numbers{};
  if (cells.size() <= count)
    return fail(
        Errc::input_corrupt, place,
        fmt::format("{} cells, but must have {}", cells.size(), count + 1),
        fmt::format("a row must be {}", count == kGemmNumbers ? kGemmColumns : kConvColumns));
  for (std::size_t i = 0; i < count; ++i) {
    const Result<std::int64_t> number = parse_integer(cells[i + 1], place);
    if (!number) {
      const bool range = number.error().code == Errc::config_range;
      return fail(range ? Errc::input_range : Errc::input_corrupt, place, number.error().what,
                  fmt::format("column {} of {}", i + 2,
                              count == kGemmNumbers ? kGemmColumns : kConvColumns));
    }
    if (*number < 1)
      return fail(Errc::input_range, place,
                  fmt::format("column {} is {}, but must be above 0", i + 2, *number));
    numbers[i] = *number;
  }
  return numbers;
}

/// The product that a row describes.
Result<SystolicProduct> product_of_row(const std::vector<std::string_view>& cells, bool gemm,
                                       const std::string& place) {
  const auto numbers = numbers_of(cells, gemm ? kGemmNumbers : kConvNumbers, place);
  if (!numbers) return tl::unexpected(numbers.error());
  const auto& n = *numbers;
  if (gemm) return SystolicProduct{n[0], n[1], n[2]};
  const SystolicConvolution layer{n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
  if (layer.filter_height > layer.height || layer.filter_width > layer.width)
    return fail(Errc::input_range, place,
                fmt::format("the filter of {} x {} exceeds the ifmap of {} x {}",
                            layer.filter_height, layer.filter_width, layer.height, layer.width),
                "include the padding in the height and width of the ifmap");
  const std::optional<SystolicProduct> product = product_of(layer);
  if (!product) return fail(Errc::input_range, place, "the product of these sizes exceeds 64 bits");
  return *product;
}

/// Whether columns after the used ones would change the result. A second stride does only if it
/// differs from the first.
bool matters(const std::vector<std::string_view>& cells, bool gemm) {
  const std::size_t used = 1 + (gemm ? kGemmNumbers : kConvNumbers);
  for (std::size_t i = used; i < cells.size(); ++i)
    if (!cells[i].empty() && (gemm || cells[i] != cells[used - 1])) return true;
  return false;
}

}  // namespace

Result<std::vector<SystolicLayer>> parse_systolic_layers(std::string_view text,
                                                         const std::string& where,
                                                         Findings& findings) {
  if (text.size() > limits::kConfigBytes)
    return fail(Errc::limit_exceeded, where, "larger than the limit for a topology");
  std::vector<SystolicLayer> layers;
  std::vector<std::string_view> cells;
  std::vector<std::string> retained;
  std::optional<bool> gemm;
  TrimmedLineReader lines(text, where);
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(", \t\r") == std::string_view::npos) continue;
    if (!split_csv_row(line, cells, retained))
      return fail(Errc::input_corrupt, lines.place(), "has an unclosed quote");
    if (!gemm) {
      gemm = cells.size() > 1 && (cells[1] == "M" || cells[1] == "m");
      if (cells.size() > 1 && parse_integer(cells[1]))
        return fail(Errc::input_corrupt, lines.place(), "is a row, but must be the header",
                    fmt::format("begin with {} or {}", kConvColumns, kGemmColumns));
      continue;
    }
    const Result<SystolicProduct> product = product_of_row(cells, *gemm, lines.place());
    if (!product) return tl::unexpected(product.error());
    if (matters(cells, *gemm)) findings.add(FindingCode::key_without_effect, lines.place());
    layers.push_back({printable(cells[0], kShownBytes), *product});
  }
  if (layers.empty())
    return fail(Errc::input_empty, where, "has no layers",
                fmt::format("rows must be {} or {}", kConvColumns, kGemmColumns));
  return layers;
}

Result<std::vector<SystolicLayer>> read_systolic_layers(const std::string& path,
                                                        Findings& findings) {
  const Result<std::string> text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_systolic_layers(*text, path, findings);
}

}  // namespace orrery::model
