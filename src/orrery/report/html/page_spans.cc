// SPDX-License-Identifier: Apache-2.0
//
// Which spans a page shows when there are too many.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <utility>

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

namespace {

using result::Run;
using result::Span;

PageSpan shown(const Run& run, const Span& span) {
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
  out.released_by = span.released_by;  // the run's number: placed() turns it into the page's
  return out;
}

/// By start; `slot` says for every span of the run's timeline which of `spans` shows it.
std::vector<PageSpan> placed(const std::vector<PageSpan>& spans,
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

/// The spans of all timelines, by number: those of one timeline follow each other.
class Thinner {
 public:
  Thinner(const Run& run, std::size_t most) : run_(run), most_(most) {
    first_.push_back(0);
    for (const result::Timeline& timeline : run.timelines)
      first_.push_back(first_.back() + static_cast<std::uint32_t>(timeline.spans.size()));
  }

  PageSpans result() {
    if (total() <= most_) {
      cut_ = total();
      place_.assign(total(), 0);
    } else {
      rank_spans();
      choose_gap();
      choose_cut();
    }
    PageSpans out;
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) out.timelines.push_back(timeline(t));
    out.left_out = left_out_;
    return out;
  }

 private:
  std::uint32_t total() const { return first_.back(); }
  const Span& span(std::uint32_t timeline, std::uint32_t number) const {
    return run_.timelines[timeline].spans[number - first_[timeline]];
  }
  bool retained(std::uint32_t number) const { return place_[number] < cut_; }

  /// place_: where a span stands when critical ones come first, then longer ones.
  void rank_spans() {
    std::vector<Time> length(total());
    std::vector<bool> critical(total());
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) {
      for (std::uint32_t i = first_[t]; i < first_[t + 1]; ++i) {
        length[i] = shown(run_, span(t, i)).length;
        critical[i] = span(t, i).critical;
      }
    }
    std::vector<std::uint32_t> order(total());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (critical[a] != critical[b]) return bool{critical[a]};
      if (length[a] != length[b]) return length[a] > length[b];
      return a < b;
    });
    place_.resize(total());
    for (std::uint32_t place = 0; place < total(); ++place) place_[order[place]] = place;
  }

  /// The numbers of a timeline's spans, lane by lane, each by start.
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

  /// Calls use(first, last) for every longest row of spans in `order` that belong together: one
  /// kept span, or neighbours on a lane that are left out, with no hole longer than gap_ between.
  template <class Use>
  void rows(std::uint32_t t, const std::vector<std::uint32_t>& order, const Use& use) const {
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
    const PageSpan one = shown(run_, span(t, number));
    return one.start + one.length;
  }

  std::size_t count() const {
    std::size_t sum = 0;
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t)
      rows(t, orders_[t], [&](std::size_t, std::size_t) { ++sum; });
    return sum;
  }

  /// The shortest hole that keeps neighbours apart: as short as half of what may be shown allows.
  void choose_gap() {
    for (std::uint32_t t = 0; t < run_.timelines.size(); ++t) orders_.push_back(by_lane(t));
    cut_ = 0;
    for (const std::int64_t part : {4000, 1000, 250, 60, 15}) {
      gap_ = Time(run_.step.count() / part);
      if (count() <= most_ / 2) return;
    }
    gap_ = kTimeMax;
  }

  /// As many kept as fit together with those that stand for others. One more kept never means
  /// fewer shown, so halving finds it.
  void choose_cut() {
    std::uint32_t fits = 0;
    std::uint32_t too_many = total();
    while (too_many - fits > 1) {
      cut_ = fits + (too_many - fits) / 2;
      (count() <= most_ ? fits : too_many) = cut_;
    }
    cut_ = fits;
  }

  std::vector<PageSpan> timeline(std::uint32_t t) {
    const std::vector<std::uint32_t> order = orders_.empty() ? by_lane(t) : orders_[t];
    std::vector<PageSpan> out;
    std::vector<std::uint32_t> slot(order.size());
    rows(t, order, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        slot[order[i] - first_[t]] = static_cast<std::uint32_t>(out.size());
      if (last - first == 1) {
        out.push_back(shown(run_, span(t, order[first])));
      } else {
        out.push_back(merged(t, order, first, last));
        left_out_ += last - first;
      }
    });
    return placed(out, slot);
  }

  /// One that stands for order[first … last): the stretch in which they lie, the kind that takes
  /// most of it.
  PageSpan merged(std::uint32_t t, const std::vector<std::uint32_t>& order, std::size_t first,
                  std::size_t last) const {
    PageSpan out = shown(run_, span(t, order[first]));
    Time until = out.start;
    std::array<Time, result::kSpanKinds> by_kind{};
    out.flags = kMerged;
    out.name = 0;
    out.wait = out.slack = out.queue = out.latency = Time{};
    out.bytes = 0;
    out.released_by = result::kNone;
    for (std::size_t i = first; i < last; ++i) {
      const PageSpan one = shown(run_, span(t, order[i]));
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
  std::size_t most_;
  std::vector<std::uint32_t> first_;  // by timeline: its first span's number
  std::vector<std::uint32_t> place_;
  std::vector<std::vector<std::uint32_t>> orders_;
  Time gap_ = kTimeMax;
  std::uint32_t cut_ = 0;  // those whose place is less are kept
  std::uint64_t left_out_ = 0;
};

}  // namespace

PageSpans thin_spans(const Run& run, std::size_t most) { return Thinner(run, most).result(); }

std::string pack_spans(const std::vector<PageSpan>& spans, UsedNames& names) {
  std::string out;
  const auto add = [&](auto&& number_of) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (i > 0) out += ',';
      const auto number = static_cast<std::uint64_t>(number_of(spans[i]));
      if (number != 0) fmt::format_to(std::back_inserter(out), "{}", number);
    }
    out += ';';
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
