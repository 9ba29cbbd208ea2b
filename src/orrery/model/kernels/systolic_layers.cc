// SPDX-License-Identifier: Apache-2.0
//
// SCALE-Sim's topologies.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/model/kernels/lines.h"
#include "orrery/model/kernels/systolic_files.h"

namespace orrery::model {
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
    return fail(Errc::input_corrupt, place,
                fmt::format("{} cells where {} belong", cells.size(), count + 1),
                fmt::format("a row is {}", count == kGemmNumbers ? kGemmColumns : kConvColumns));
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
                  fmt::format("column {} is {}, and sizes are above 0", i + 2, *number));
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
                fmt::format("a filter of {} x {} over an ifmap of {} x {}", layer.filter_height,
                            layer.filter_width, layer.height, layer.width),
                "padding is part of the ifmap's height and width");
  const std::optional<SystolicProduct> product = product_of(layer);
  if (!product) return fail(Errc::input_range, place, "these sizes have no product in 64 bits");
  return *product;
}

/// What stands behind the columns that are used. A second stride only matters if it is another one.
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
    return fail(Errc::limit_exceeded, where, "larger than a topology may be");
  std::vector<SystolicLayer> layers;
  std::vector<std::string_view> cells;
  std::vector<std::string> kept;
  std::optional<bool> gemm;
  Lines lines(text, where);
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(", \t\r") == std::string_view::npos) continue;
    if (!split_row(line, cells, kept))
      return fail(Errc::input_corrupt, lines.place(), "has quotes that do not close a cell");
    if (!gemm) {
      gemm = cells.size() > 1 && (cells[1] == "M" || cells[1] == "m");
      if (cells.size() > 1 && parse_integer(cells[1]))
        return fail(Errc::input_corrupt, lines.place(), "is a row where the header belongs",
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
                fmt::format("rows are {} or {}", kConvColumns, kGemmColumns));
  return layers;
}

Result<std::vector<SystolicLayer>> read_systolic_layers(const std::string& path,
                                                        Findings& findings) {
  const Result<std::string> text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse_systolic_layers(*text, path, findings);
}

}  // namespace orrery::model
