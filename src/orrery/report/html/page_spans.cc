// SPDX-License-Identifier: Apache-2.0
//
// Selects the spans that a page shows if there are too many.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

namespace {

using result::Run;
using result::Span;

PageSpan page_span(const Run& run, const Span& span) {
  PageSpan out;
  const bool finished = analysis::has_ended(span);
  out.start = span.start;
  out.length = finished ? span.end - span.start : std::max(Time{}, run.step - span.start);
  out.name = span.name;
  out.lane = span.lane;
  out.kind = static_cast<std::uint8_t>(span.kind);
  out.flags = static_cast<std::uint8_t>(
      (span.critical ? kCritical : 0) | (span.slack ? kSlackKnown : 0) |
      (finished ? 0 : kUnfinished) | (span.release == result::Release::resource ? kLaneTaken : 0));
  out.wait = span.wait;
  out.slack = span.slack.value_or(Time{});
  out.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, span.bytes.count()));
  out.node = span.node;
  out.queue = span.queue;
  out.latency = span.latency;
  out.released_by =
      span.released_by;  // number in the run; sort_by_start() converts it to the page's
  return out;
}

/// Sorts `spans` by start. `slot`: for each span of the run's timeline, the one of `spans` that
/// shows it.
std::vector<PageSpan> sort_by_start(const std::vector<PageSpan>& spans,
                                    const std::vector<std::uint32_t>& slot) {
  std::vector<std::uint32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return spans[a].start < spans[b].start;
  });
  std::vector<std::uint32_t> place(spans.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<PageSpan> out;
  for (const std::uint32_t number : order) {
    PageSpan& span = out.emplace_back(spans[number]);
    if (span.released_by != result::kNone) span.released_by = place[slot[span.released_by]];
  }
  return out;
}

/// Reduces the spans of all timelines. Numbers of spans are consecutive within a timeline.
class SpanReducer {
 public:
  SpanReducer(const Run& run, std::size_t most) : run_(run), max_spans_(most) {
    first_.push_back(0);
    for (const result::Timeline& timeline : run.timelines)
      first_.push_back(first_.back() + static_cast<std::uint32_t>(timeline.spans.size()));
  }

  PageSpans result() {
    if (total() <= max_spans_) {
      retained_spans_ = total();
      priority_.assign(total(), 0);
    } else {
      rank_by_priority();
      choose_gap();
      choose_retained_spans();
    }
    PageSpans out;
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) out.timelines.push_back(timeline(t));
    out.merged_spans = merged_spans_;
    return out;
  }

 private:
  std::uint32_t total() const { return first_.back(); }
  const Span& span(std::uint32_t timeline, std::uint32_t number) const {
    return run_.timelines[timeline].spans[number - first_[timeline]];
  }
  bool retained(std::uint32_t number) const { return priority_[number] < retained_spans_; }

  /// Sets priority_: the rank of each span by length, descending. Whether a span is critical does
  /// not matter: equal operations look equal on and off the critical path.
  void rank_by_priority() {
    std::vector<Time> length(total());
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t)
      for (std::uint32_t i = first_[t]; i < first_[t + 1]; ++i)
        length[i] = page_span(run_, span(t, i)).length;
    std::vector<std::uint32_t> order(total());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (length[a] != length[b]) return length[a] > length[b];
      return a < b;
    });
    priority_.resize(total());
    for (std::uint32_t place = 0; place < total(); ++place) {
      priority_[order[place]] = place;
      if (place == 0 || length[order[place]] != length[order[place - 1]])
        shorter_from_.push_back(place);
    }
  }

  /// The numbers of a timeline's spans by lane, then by start.
  std::vector<std::uint32_t> by_lane(std::uint32_t t) const {
    std::vector<std::uint32_t> order(first_[t + 1] - first_[t]);
    std::iota(order.begin(), order.end(), first_[t]);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Span& x = span(t, a);
      const Span& y = span(t, b);
      if (x.lane != y.lane) return x.lane < y.lane;
      return x.start != y.start ? x.start < y.start : a < b;
    });
    return order;
  }

  /// Calls use(first, last) for each maximal range of `order` that is shown as one span: one
  /// retained span, or omitted neighbors on a lane with gaps of at most gap_ between them.
  template <class Use>
  void for_each_row(std::uint32_t t, const std::vector<std::uint32_t>& order,
                    const Use& use) const {
    for (std::size_t i = 0; i < order.size();) {
      std::size_t end = i + 1;
      Time until = end_of(t, order[i]);
      while (!retained(order[i]) && end < order.size() && !retained(order[end]) &&
             span(t, order[end]).lane == span(t, order[i]).lane &&
             span(t, order[end]).start - until <= gap_) {
        until = std::max(until, end_of(t, order[end++]));
      }
      use(i, end);
      i = end;
    }
  }

  Time end_of(std::uint32_t t, std::uint32_t number) const {
    const PageSpan one = page_span(run_, span(t, number));
    return one.start + one.length;
  }

  std::size_t count() const {
    std::size_t sum = 0;
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t)
      for_each_row(t, orders_[t], [&](std::size_t, std::size_t) { ++sum; });
    return sum;
  }

  /// Sets gap_: the smallest of a few for which merged spans use at most half of max_spans_.
  void choose_gap() {
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) orders_.push_back(by_lane(t));
    retained_spans_ = 0;
    for (const std::int64_t part : {4000, 1000, 250, 60, 15}) {
      gap_ = Time(run_.step.count() / part);
      if (count() <= max_spans_ / 2) return;
    }
    gap_ = kTimeMax;
  }

  /// Sets retained_spans_: the largest number of retained spans for which all shown spans fit, and
  /// which separates no spans of equal length. The number of shown spans grows with it, so that
  /// bisection finds it.
  void choose_retained_spans() {
    std::size_t fits = 0;  // in shorter_from_
    std::size_t too_many = shorter_from_.size();
    while (too_many - fits > 1) {
      const std::size_t middle = fits + (too_many - fits) / 2;
      retained_spans_ = shorter_from_[middle];
      (count() <= max_spans_ ? fits : too_many) = middle;
    }
    retained_spans_ = shorter_from_[fits];
  }

  std::vector<PageSpan> timeline(std::uint32_t t) {
    const std::vector<std::uint32_t> order = orders_.empty() ? by_lane(t) : orders_[t];
    std::vector<PageSpan> out;
    std::vector<std::uint32_t> slot(order.size());
    for_each_row(t, order, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        slot[order[i] - first_[t]] = static_cast<std::uint32_t>(out.size());
      if (last - first == 1) {
        out.push_back(page_span(run_, span(t, order[first])));
      } else {
        out.push_back(merged(t, order, first, last));
        merged_spans_ += last - first;
      }
    });
    return sort_by_start(out, slot);
  }

  /// The span that shows order[first … last): it covers their range and has the kind with the most
  /// time.
  PageSpan merged(std::uint32_t t, const std::vector<std::uint32_t>& order, std::size_t first,
                  std::size_t last) const {
    PageSpan out = page_span(run_, span(t, order[first]));
    Time until = out.start;
    std::array<Time, result::kSpanKinds> by_kind{};
    out.flags = kMerged;
    out.name = 0;
    out.wait = out.slack = out.queue = out.latency = Time{};
    out.bytes = 0;
    out.released_by = result::kNone;
    for (std::size_t i = first; i < last; ++i) {
      const PageSpan one = page_span(run_, span(t, order[i]));
      until = std::max(until, one.start + one.length);
      by_kind[one.kind] += one.length;
      out.flags |= one.flags & kCritical;
      out.wait += one.wait;
      out.queue += one.queue;
      out.latency += one.latency;
      out.bytes += one.bytes;
    }
    out.length = until - out.start;
    const auto most = std::max_element(by_kind.begin(), by_kind.end());
    if (*most > Time{}) out.kind = static_cast<std::uint8_t>(most - by_kind.begin());
    out.node = last - first;
    return out;
  }

  const Run& run_;
  std::size_t max_spans_;
  std::vector<std::uint32_t> first_;  // by timeline: number of its first span
  std::vector<std::uint32_t> priority_;
  std::vector<std::uint32_t> shorter_from_;  // priorities from which on spans are shorter
  std::vector<std::vector<std::uint32_t>> orders_;
  Time gap_ = kTimeMax;
  std::uint32_t retained_spans_ = 0;  // spans with a smaller priority_ are retained
  std::uint64_t merged_spans_ = 0;
};

}  // namespace

PageSpans reduce_spans(const Run& run, std::size_t most) { return SpanReducer(run, most).result(); }

std::string pack_spans(const std::vector<PageSpan>& spans, UsedNames& names) {
  std::string out;
  const auto add = [&](const auto& number_of) {
    add_packed(out, spans.size(), [&](std::size_t i) { return number_of(spans[i]); });
  };
  Time before{};
  add([&](const PageSpan& span) {
    return (span.start - std::exchange(before, span.start)).count();
  });
  add([](const PageSpan& span) { return span.length.count(); });
  add([&](const PageSpan& span) { return names.number(span.name); });
  add([](const PageSpan& span) { return span.lane; });
  add([](const PageSpan& span) { return span.kind; });
  add([](const PageSpan& span) { return span.flags; });
  add([](const PageSpan& span) { return span.wait.count(); });
  add([](const PageSpan& span) { return span.slack.count(); });
  add([](const PageSpan& span) { return span.bytes; });
  add([](const PageSpan& span) { return span.node; });
  add([](const PageSpan& span) { return span.queue.count(); });
  add([](const PageSpan& span) { return span.latency.count(); });
  std::uint64_t place = 0;
  add([&](const PageSpan& span) -> std::uint64_t {
    const std::uint64_t at = place++;
    const std::uint64_t by = span.released_by;
    if (span.released_by == result::kNone || by == at) return 0;
    return by < at ? 2 * (at - by) : 2 * (by - at) - 1;
  });
  out.pop_back();
  return out;
}

}  // namespace orrery::report::html
