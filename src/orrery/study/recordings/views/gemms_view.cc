// SPDX-License-Identifier: Apache-2.0
//
// Matrix products by their sizes: how often, how long, at which rate, with which kernels.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/study/recordings/operators/operator_calls.h"
#include "orrery/study/recordings/operators/operator_text.h"
#include "orrery/study/recordings/views/builders.h"
#include "orrery/study/recordings/views/view_values.h"
#include "orrery/trace/operators/arguments.h"
#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::study {

namespace {

using graph::Kernel;
using graph::Operation;
using report::Value;

/// Whether a factor is stored transposed, by its strides: its rows are contiguous, not its columns.
/// Empty if the strides do not show it.
std::optional<bool> transposed_by_strides(const trace::operators::TensorShape& strides) {
  if (strides.size() < 2) return std::nullopt;
  const std::int64_t row = strides[strides.size() - 2], column = strides.back();
  if ((row == 1) == (column == 1)) return std::nullopt;
  return row == 1;
}

/// One product. Compared by all members.
struct Product {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool grouped = false;
  bool transposed_a = false, transposed_b = false;
  graph::Format a{}, b{}, out{};
  graph::Pass pass{};

  friend auto operator<=>(const Product&, const Product&) = default;
};

std::optional<Product> product_of(const Kernel& kernel) {
  Product made{.transposed_a = kernel.has(graph::kTransposedA),
               .transposed_b = kernel.has(graph::kTransposedB),
               .a = kernel.a,
               .b = kernel.b,
               .out = kernel.out,
               .pass = kernel.pass};
  const auto& sizes = kernel.sizes;
  switch (kernel.operation) {
    case Operation::gemm:
      std::tie(made.m, made.n, made.k) = std::tie(sizes[0], sizes[1], sizes[2]);
      return made;
    case Operation::grouped_gemm:
      made.grouped = true;
      [[fallthrough]];
    case Operation::batched_gemm:
      std::tie(made.batch, made.m, made.n, made.k) =
          std::tie(sizes[0], sizes[1], sizes[2], sizes[3]);
      return made;
    default:
      return std::nullopt;
  }
}

/// Takes the transposes from the recorded strides, if there are any.
void read_transposes(const profile::Profile& p, profile::EventId op, Product& product) {
  const auto factors = trace::operators::factors_of_product(p.name(op));
  if (!factors || p.events[op].detail == profile::kNone) return;
  const auto strides = trace::operators::Arguments::read({p.string(p.op(op).strides), {}, {}});
  if (!strides) return;
  if (const auto a = transposed_by_strides(strides->shape((*factors)[0])))
    product.transposed_a = *a;
  if (const auto b = transposed_by_strides(strides->shape((*factors)[1])))
    product.transposed_b = *b;
}

struct ProductRow {
  std::uint64_t calls = 0;
  Time time{};
  OperatorWork work{};
  std::map<std::string_view, Time> kernels;
};

std::string formats_of(const Product& product) {
  std::string text(graph::name(product.a));
  if (product.b != product.a && product.b != graph::Format::unsaid)
    text += " " + std::string(graph::name(product.b));
  if (product.out != product.a && product.out != graph::Format::unsaid)
    text += " > " + std::string(graph::name(product.out));
  return text;
}

class GemmsView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    const OperatorCalls calls(p);
    std::map<Product, ProductRow> rows;
    for (const OperatorCall& call : calls.calls()) {
      const Kernel* const kernel = calls.kernel(call);
      auto product = kernel == nullptr ? std::nullopt : product_of(*kernel);
      if (!product) continue;
      if (call.op != profile::kNoEvent) read_transposes(p, call.op, *product);
      ProductRow& row = rows[*product];
      ++row.calls;
      row.time += call.own;
      row.work += calls.work(call);
      for (const profile::EventId work : calls.works(call))
        row.kernels[p.name(work)] += p.events[work].duration;
    }
    std::vector<std::pair<const Product*, const ProductRow*>> sorted;
    for (const auto& [product, row] : rows) sorted.emplace_back(&product, &row);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
      return left.second->time > right.second->time;
    });
    for (const auto& [product, row] : sorted) add_row(rank, calls, *product, *row);
    total_ += calls.total();
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    View made{.kind = TraceView::gemms, .facts = {}, .tables = {}};
    if (total_ > Time{})
      made.facts.push_back({"of all time", "products_share", share_value(products_, total_)});
    made.tables.push_back(std::move(table_));
    return made;
  }

 private:
  void add_row(const intake::RankTrace& rank, const OperatorCalls& calls, const Product& product,
               const ProductRow& row) {
    const auto longest = std::max_element(
        row.kernels.begin(), row.kernels.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    products_ += row.time;
    table_.rows.push_back(
        {rank.files.rank, product.m, product.n, product.k,
         product.grouped ? Value() : Value(product.batch),
         product.grouped ? Value(product.batch) : Value(), product.transposed_a,
         product.transposed_b, formats_of(product), graph::name(product.pass), row.calls, row.time,
         share_value(row.time, calls.total()), rate_value<FlopRate>(row.work.flop_per_s()),
         rate_value<Bandwidth>(row.work.bytes_per_s()), share_value(row.work.roof_share()),
         text_value(row.work.bound()),
         text_value(longest->first).shown(device_kernel_text(longest->first)), row.kernels.size()});
  }

  Time total_{}, products_{};
  ViewTable table_{
      .key = "products",
      .title = "matrix products",
      .columns = {{"rank", "rank", "the recorded rank"},
                  {"M", "m", "rows of the result"},
                  {"N", "n", "columns of the result"},
                  {"K", "k", "length of the sums"},
                  {"batch", "batch", "products in one call; null: grouped"},
                  {"", "groups", "matrices of the second factor in a grouped product"},
                  {"A^T", "transposed_a", "the first factor is stored K x M"},
                  {"B^T", "transposed_b", "the second factor is stored N x K"},
                  {"formats", "formats", "of the factors and of the result"},
                  {"pass", "pass", "forward, or the gradient that it computes"},
                  {"calls", "count", "calls of operators"},
                  {"time", "time_ns", "sum of the lengths of their kernels"},
                  {"share", "time_share", "time / time of all device work"},
                  {"FLOP/s", "flop_per_s", "2 M N K per product / time"},
                  {"", "bytes_per_s", "bytes of both factors and the result / time"},
                  {"of roof", "roof_share", "time at the roof of the device / time"},
                  {"bound by", "bound", "the roof: peak of the format, or bandwidth of the memory"},
                  {"kernel", "kernel_name", "the kernel with most of the time"},
                  {"", "kernel_count", "different kernels"}},
      .rows = {},
      .first = 30,
      .width = 150,
      .if_empty = "The recording has no matrix products with recorded shapes.",
      .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> gemms_view() { return std::make_unique<GemmsView>(); }

}  // namespace orrery::study
