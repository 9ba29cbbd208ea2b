// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/embeddings/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/model/embedding/cache_hits.h"
#include "orrery/model/embedding/lin_devices.h"
#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"
#include "orrery/model/kernels/learned/lookup_net.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_estimates.h"

namespace orrery::study {

namespace {

constexpr std::size_t kMaxHistogram = 1u << 16;  // maximum size of its file, bytes

std::string without_comments(std::string_view text) {
  std::string retained;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!text.starts_with('#')) retained.append(text.substr(0, end)).push_back(' ');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return retained;
}

}  // namespace

Result<std::vector<TableReuse>> measure_reuse(const std::vector<std::string>& files,
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
    auto read = config::read_text(text, kMaxHistogram);
    if (!read) return tl::unexpected(read.error());
    numbers = without_comments(*read);
    where = text;
  }
  const auto wrong = [&](std::string what) {
    return fail(
        Errc::usage, where, std::move(what),
        "'orrery dlrm lookup histogram' prints one: shares of rows that are read once, twice, "
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
      return wrong(in_quotes(word) + " is not a share of rows (0 to 1)");
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

std::string format_histogram(const model::ReuseHistogram& shares) {
  std::string text;
  for (const double share : shares) text += fmt::format("{}{:.6g}", text.empty() ? "" : ",", share);
  return text;
}

std::string format_stream(const std::vector<std::int64_t>& stream, std::int64_t pooling, bool npy) {
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

namespace {

/// Indices of a file, and their reuse.
struct FileLookups {
  std::vector<trace::TableLookups> tables;
  model::Reuse reuse;  ///< all tables together
};

Result<FileLookups> read_file(const LookupQuestion& question) {
  FileLookups is;
  auto tables = trace::read_lookups(question.indices, question.shape);
  if (!tables) return tl::unexpected(tables.error());
  is.tables = *std::move(tables);
  for (const trace::TableLookups& table : is.tables) is.reuse += model::reuse_of(table.indices);
  return is;
}

/// Sets the sizes that the file determines.
Result<void> settle_sizes(const LookupQuestion& question, const FileLookups& file,
                          model::Lookup& lookup) {
  const auto tables = static_cast<std::int64_t>(file.tables.size());
  std::int64_t bags = 0;
  for (const trace::TableLookups& table : file.tables) bags += table.bags();
  if (lookup.tables != 0 || lookup.batch != 0 || lookup.pooling != 0)
    return fail(Errc::usage, question.indices,
                "already defines the numbers of tables, bags and lookups",
                "omit --tables, --bags and --pooling, or omit the file");
  lookup.tables = tables;
  lookup.batch = (bags + tables - 1) / tables;
  lookup.pooling = std::max<std::int64_t>(1, (file.reuse.lookups + bags - 1) / bags);
  if (lookup.rows == 0) lookup.rows = file.reuse.largest + 1;
  if (lookup.rows <= file.reuse.largest)
    return fail(Errc::usage, "--rows",
                fmt::format("the file reads row {} of {}", file.reuse.largest, lookup.rows),
                "rows are counted from 0");
  return {};
}

Result<void> check_sizes(const model::Lookup& lookup) {
  constexpr std::int64_t kMaxSize = 1ll << 40;
  for (const auto& [option, value] :
       {std::pair{"--tables", lookup.tables}, std::pair{"--bags", lookup.batch},
        std::pair{"--pooling", lookup.pooling}, std::pair{"--rows", lookup.rows},
        std::pair{"--features", lookup.features}}) {
    if (value == 0)
      return fail(Errc::usage, option, "is missing",
                  "orrery dlrm lookup time --tables 26 --bags 2048 --pooling 20 --rows 1000000 "
                  "--features 64");
    if (value < 0 || value > (option == std::string_view("--tables") ? 1 << 20 : kMaxSize))
      return fail(Errc::usage, option, "must be 1 to 2^40 (tables: 2^20)");
  }
  if (lookup.batch > kMaxSize / lookup.pooling)
    return fail(Errc::usage, "--bags", "gives more than 2^40 lookups");
  return {};
}

graph::Kernel kernel_of(const LookupAnswer& answer, graph::Format format, graph::Pass pass) {
  graph::Kernel kernel;
  const model::Lookup& is = answer.lookup;
  kernel.operation = graph::Operation::embedding_bag;
  kernel.pass = pass;
  kernel.a = kernel.out = format;
  kernel.sizes = {is.tables,          is.batch,
                  is.pooling,         is.rows,
                  is.features,        answer.summary.unique,
                  answer.summary.hot, answer.summary.hot_lookups};
  return kernel;
}

/// Simulated hit share over all tables, each with a separate cache.
double simulated(const FileLookups& file, std::int64_t cached) {
  double hits = 0;
  for (const trace::TableLookups& table : file.tables)
    hits +=
        model::simulated_hits(table.indices, cached) * static_cast<double>(table.indices.size());
  return hits / static_cast<double>(file.reuse.lookups);
}

class LookupTimer {
 public:
  LookupTimer(const LookupAnswer& answer, const FileLookups* file,
              std::vector<model::RowGroup> groups)
      : answer_(answer), file_(file), groups_(std::move(groups)) {}

  LookupTime time(std::string_view model, const std::string& device,
                  const model::LookupDevice& on) const {
    const model::Lookup& is = answer_.lookup;
    LookupTime estimate{.model = model, .device = device, .hits = {}, .forward = {}};
    const std::int64_t cached = estimate.hits.cached = model::cached_rows(is, on);
    estimate.hits.lin = model::lin_hits(is.rows, is.lookups(), cached);
    estimate.hits.uniform = model::uniform_hits(is.rows, is.lookups(), cached);
    estimate.best_hits = model == "lin" ? estimate.hits.lin : estimate.hits.uniform;
    if (!groups_.empty()) {
      estimate.hits.histogram = model::reuse_hits(groups_, cached);
      estimate.hits.summary = model::reuse_hits(groups_of(answer_.summary, is.lookups()), cached);
      estimate.best_hits = *estimate.hits.histogram;
    }
    if (file_ != nullptr) estimate.hits.simulated = simulated(*file_, cached);
    estimate.forward = model::forward_traffic(is, estimate.best_hits);
    estimate.backward_bytes = model::backward_bytes(is);
    estimate.forward_us = model::forward_us(is, estimate.best_hits, on);
    estimate.backward_us = model::backward_us(is, on);
    return estimate;
  }

 private:
  const LookupAnswer& answer_;
  const FileLookups* file_;
  std::vector<model::RowGroup> groups_;  // of one table
};

/// Adds predictions of the nets in a file; without a file none.
Result<void> add_nets(const LookupQuestion& question, LookupAnswer& answer) {
  if (question.nets.empty()) return {};
  const auto text = config::read_text(question.nets, limits::kMeasuredBytes);
  if (!text) return tl::unexpected(text.error());
  const auto nets = model::LookupNets::read(*text, question.nets);
  if (!nets) return tl::unexpected(nets.error());
  const model::Lookup& is = answer.lookup;
  const std::vector<model::LookupTable> tables(
      static_cast<std::size_t>(is.tables),
      {is.batch, is.rows, is.features, static_cast<double>(is.pooling), answer.shares});
  bool any = false;
  for (const std::string& name : question.devices) {
    LookupTime estimate{.model = "net", .device = name, .hits = {}, .forward = {}};
    estimate.forward_us = nets->us(name, false, tables).value_or(0);
    estimate.backward_us = nets->us(name, true, tables).value_or(0);
    if (estimate.forward_us == 0 && estimate.backward_us == 0) continue;
    any = true;
    answer.times.push_back(std::move(estimate));
  }
  if (any) return {};
  return fail(Errc::usage, "--lookup-model", "has no data for these devices",
              "it has " + (nets->all().empty() ? "none" : nets->all().front().device));
}

}  // namespace

Result<LookupAnswer> predict_lookup(const LookupQuestion& question) {
  LookupAnswer answer;
  model::Lookup& lookup = answer.lookup = question.lookup;
  FileLookups file;
  if (!question.indices.empty()) {
    if (question.histogram)
      return fail(Errc::usage, "--histogram",
                  "conflicts with the indices, which have their own histogram",
                  "give only one of them");
    auto read = read_file(question);
    if (!read) return tl::unexpected(read.error());
    file = *std::move(read);
    answer.reuse = file.reuse;
    if (auto fine = settle_sizes(question, file, lookup); !fine)
      return tl::unexpected(fine.error());
  }
  if (auto fine = check_sizes(lookup); !fine) return tl::unexpected(fine.error());
  lookup.number_bytes = std::max(1, graph::bits_of(question.format) / 8);
  lookup.index_bytes = 8;

  std::vector<model::RowGroup> groups;  // of one table
  if (answer.reuse) {
    answer.shares = answer.reuse->shares();
    groups = model::groups_of(*answer.reuse);
    for (model::RowGroup& group : groups) group.rows /= static_cast<double>(lookup.tables);
  } else if (question.histogram) {
    answer.shares = *question.histogram;
    groups = model::groups_of(answer.shares, lookup.lookups());
  } else {
    answer.shares = model::uniform_shares(lookup.rows, lookup.lookups());
  }
  answer.summary = model::summary_of(groups);
  if (answer.summary.unique > lookup.rows)
    return fail(
        Errc::usage, "--histogram",
        fmt::format("{} lookups with this histogram read {} distinct rows, but the table has {}",
                    lookup.lookups(), answer.summary.unique, lookup.rows),
        "increase --rows, or use a smaller batch");
  answer.kernels = {kernel_of(answer, question.format, graph::Pass::forward),
                    kernel_of(answer, question.format, graph::Pass::backward)};

  const LookupTimer timer(answer, answer.reuse ? &file : nullptr, std::move(groups));
  for (const std::string& name : question.devices) {
    const platform::DeviceEntry* entry = platform::find_device(name);
    if (entry == nullptr) return tl::unexpected(unknown_device(name));
    const model::Silicon silicon = model::silicon_of(*entry);
    if (!(silicon.l2_bytes > 0) || !(silicon.memory > 0))
      return fail(Errc::usage, "--device",
                  fmt::format("the size of the last-level cache of {} is unknown", name),
                  "'orrery kernels' lists devices with a known L2 cache");
    const model::Chip chip(silicon, model::architecture_of(silicon));
    answer.times.push_back(timer.time("heuristic", entry->name, model::lookup_device(chip)));
    if (const model::LinDevice* known = model::lin_device(entry->name))
      answer.times.push_back(timer.time("lin", entry->name, known->for_lookups()));
  }
  if (auto fine = add_nets(question, answer); !fine) return tl::unexpected(fine.error());
  return answer;
}

}  // namespace orrery::study
