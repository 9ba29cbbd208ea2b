// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/model/kernels/learned/lookup_net_training.h"
#include "orrery/model/kernels/learned/lookup_rows.h"

namespace orrery::study {
namespace {

constexpr std::size_t kMostHistogram = 1u << 16;  // bytes of its file

std::string without_comments(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!text.starts_with('#')) kept.append(text.substr(0, end)).push_back(' ');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return kept;
}

}  // namespace

Result<std::vector<TableReuse>> reuse_in(const std::vector<std::string>& files,
                                         const trace::BagShape& shape) {
  std::vector<TableReuse> all;
  for (const std::string& file : files) {
    const auto tables = trace::read_lookups(file, shape);
    if (!tables) return tl::unexpected(tables.error());
    for (const trace::TableLookups& is : *tables)
      all.push_back({file, is.table, is.bags(), model::reuse_of(is.indices)});
  }
  return all;
}

Result<model::ReuseHistogram> read_histogram(const std::string& text) {
  std::string numbers = text, where = "--histogram";
  std::error_code ignored;
  if (text.find(',') == std::string::npos || std::filesystem::exists(text, ignored)) {
    auto read = config::read_text(text, kMostHistogram);
    if (!read) return tl::unexpected(read.error());
    numbers = without_comments(*read);
    where = text;
  }
  const auto wrong = [&](std::string what) {
    return fail(
        Errc::usage, where, std::move(what),
        "'orrery embeddings histogram' prints one: shares of rows that are read once, twice, "
        "3 or 4 times … more than 32,768 times");
  };
  model::ReuseHistogram shares{};
  std::size_t count = 0;
  double sum = 0;
  constexpr std::string_view kBetween = " ,\t\r\n";
  std::string_view rest = numbers;
  for (;; ++count) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBetween), rest.size()));
    if (rest.empty()) break;
    const std::string_view word = rest.substr(0, rest.find_first_of(kBetween));
    double share = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), share);
    if (error != std::errc() || end != word.data() + word.size() || !(share >= 0 && share <= 1))
      return wrong(in_quotes(word) + " is no share of rows");
    if (count == shares.size()) return wrong("has more than seventeen numbers");
    shares[count] = share;
    sum += share;
    rest.remove_prefix(word.size());
  }
  if (count != shares.size())
    return wrong(fmt::format("has {} numbers instead of seventeen", count));
  if (!(std::abs(sum - 1) <= 0.05))
    return wrong(fmt::format("its shares sum to {:.4g}, not to 1", sum));
  for (double& share : shares) share /= sum;
  return shares;
}

std::string histogram_text(const model::ReuseHistogram& shares) {
  std::string text;
  for (const double share : shares) text += fmt::format("{}{:.6g}", text.empty() ? "" : ",", share);
  return text;
}

std::string stream_file(const std::vector<std::int64_t>& stream, std::int64_t pooling, bool npy) {
  std::string text;
  if (npy) {
    std::string header =
        fmt::format("{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}", stream.size());
    header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10, ' ');
    header.back() = '\n';
    text = std::string("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 0xff);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    for (const std::int64_t index : stream)
      for (int byte = 0; byte < 8; ++byte)
        text += static_cast<char>(static_cast<std::uint64_t>(index) >> (8 * byte) & 0xff);
    return text;
  }
  for (std::size_t i = 0; i < stream.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{}{}", stream[i],
                   (i + 1) % static_cast<std::size_t>(pooling) == 0 ? '\n' : ' ');
  return text;
}

Result<LookupFit> fit_lookups(const std::vector<std::string>& files, int epochs, std::uint64_t seed,
                              const std::function<void(const model::LookupNetOf&)>& told) {
  std::vector<model::MeasuredLookup> all;
  for (const std::string& file : files) {
    const auto text = config::read_text(file, limits::kMeasuredBytes);
    if (!text) return tl::unexpected(text.error());
    auto read = model::read_lookup_rows(*text, file);
    if (!read) return tl::unexpected(read.error());
    all.insert(all.end(), std::make_move_iterator(read->begin()),
               std::make_move_iterator(read->end()));
  }
  model::LookupNetOptions options;
  if (epochs != 0) options.epochs = epochs;
  auto nets = model::fit_lookup_nets(all, options, seed, told);
  if (!nets) return tl::unexpected(nets.error());
  LookupFit fit;
  fit.nets = *std::move(nets);
  fit.lookups = all.size();
  fit.file = model::write_lookup_nets("", fit.nets);
  return fit;
}

}  // namespace orrery::study
