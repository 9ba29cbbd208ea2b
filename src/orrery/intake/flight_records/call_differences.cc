// SPDX-License-Identifier: Apache-2.0
//
// Source of the rules, which operations may have different tensors on different ranks:
// torch/distributed/flight_recorder/components/types.py of PyTorch (01c9f4fc), Op.match.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/flight_records/hang_internal.h"

namespace orrery::intake {
namespace {

using trace::flight_recorder::Record;
using trace::flight_recorder::Tensors;

/// Which tensors of an operation are the same on all ranks.
struct EqualTensors {
  bool input_sizes = true, output_sizes = true, input_types = true, output_types = true;
};

EqualTensors equal_tensors(std::string_view operation) {
  EqualTensors equal;
  const bool any_sizes = operation.starts_with("all_to_all") ||
                         operation.find("_v") != std::string_view::npos;  // all_gather_v
  equal.input_sizes = !any_sizes && operation != "scatter";
  equal.output_sizes = !any_sizes && operation != "gather";
  equal.input_types = operation != "scatter" && operation != "broadcast";
  equal.output_types = operation != "gather";
  return equal;
}

std::string sizes_text(const Tensors& tensors) {
  std::string text;
  for (const auto& sizes : tensors.sizes) text += fmt::format("[{}]", fmt::join(sizes, ", "));
  return text.empty() ? "no tensor" : text;
}

std::string types_text(const Tensors& tensors) {
  return tensors.types.empty() ? "no tensor" : fmt::format("{}", fmt::join(tensors.types, ", "));
}

class Comparison {
 public:
  Comparison(const HangSearch& search, const std::vector<RankPart>& parts)
      : search_(search), parts_(parts) {}

  /// The first difference: its cause and its sentence.
  [[nodiscard]] std::pair<HangCause, std::string> find() const {
    using Text = std::function<std::string(const Record&)>;
    const EqualTensors equal =
        equal_tensors(search_.record(parts_[0].dump, parts_[0].records[0]).operation);
    const auto compare = [&](HangCause cause, std::string_view what, const Text& text, bool used) {
      if (found_.first == HangCause::none && used) find_in(cause, what, text);
    };
    compare(
        HangCause::different_operations, "", [](const Record& r) { return r.operation; }, true);
    compare(
        HangCause::different_sizes, "inputs ", [](const Record& r) { return sizes_text(r.inputs); },
        equal.input_sizes);
    compare(
        HangCause::different_sizes, "outputs ",
        [](const Record& r) { return sizes_text(r.outputs); }, equal.output_sizes);
    compare(
        HangCause::different_types, "inputs ", [](const Record& r) { return types_text(r.inputs); },
        equal.input_types);
    compare(
        HangCause::different_types, "outputs ",
        [](const Record& r) { return types_text(r.outputs); }, equal.output_types);
    return found_;
  }

 private:
  void find_in(HangCause cause, std::string_view what,
               const std::function<std::string(const Record&)>& text) const {
    std::map<std::string, std::vector<std::uint32_t>> ranks;
    for (const RankPart& part : parts_) {
      std::string all;
      for (const std::uint32_t record : part.records)
        all += (all.empty() ? "" : ", ") + text(search_.record(part.dump, record));
      ranks[std::move(all)].push_back(search_.dumps[part.dump].rank);
    }
    if (ranks.size() < 2) return;
    found_ = {cause, sentence(what, ranks)};
  }

  /// "ranks 0-2 all_gather, rank 3 all_reduce": those that most ranks have first.
  static std::string sentence(std::string_view what,
                              const std::map<std::string, std::vector<std::uint32_t>>& ranks) {
    constexpr std::size_t kShown = 4;
    std::vector<std::pair<std::string_view, const std::vector<std::uint32_t>*>> order;
    for (const auto& [text, some] : ranks) order.emplace_back(text, &some);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second->size() != b.second->size() ? a.second->size() > b.second->size()
                                                  : a.second->front() < b.second->front();
    });
    std::string out;
    for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i)
      out += fmt::format("{}{} {}{}", i == 0 ? "" : ", ", format_ranks(*order[i].second), what,
                         printable(order[i].first, kShownBytes));
    if (order.size() > kShown) out += fmt::format(" and {} more", order.size() - kShown);
    return out;
  }

  const HangSearch& search_;
  const std::vector<RankPart>& parts_;
  mutable std::pair<HangCause, std::string> found_{HangCause::none, {}};
};

/// A quick check: most calls are the same on all ranks.
bool are_equal(const HangSearch& search, const std::vector<RankPart>& parts) {
  const RankPart& first = parts.front();
  for (const RankPart& part : parts) {
    if (part.records.size() != first.records.size()) return false;
    for (std::size_t i = 0; i < part.records.size(); ++i) {
      const Record& a = search.record(first.dump, first.records[i]);
      const Record& b = search.record(part.dump, part.records[i]);
      if (a.operation != b.operation || a.inputs != b.inputs || a.outputs != b.outputs)
        return false;
    }
  }
  return true;
}

}  // namespace

void find_differences(HangSearch& search) {
  for (std::size_t c = 0; c < search.report.calls.size(); ++c) {
    RecordedCall& call = search.report.calls[c];
    const auto& parts = search.parts[c];
    if (call.is_p2p || are_equal(search, parts)) continue;
    auto [cause, sentence] = Comparison(search, parts).find();
    call.difference = std::move(sentence);
    if (call.state == CallState::stuck) call.cause = cause;
  }
}

}  // namespace orrery::intake
