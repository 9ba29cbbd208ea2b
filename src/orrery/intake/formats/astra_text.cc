// SPDX-License-Identifier: Apache-2.0
//
// Parses the text; astra_text_nodes.cc builds the nodes.
#include "orrery/intake/formats/astra_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/graph/graph.h"

namespace orrery::intake {
namespace {

constexpr std::size_t kColumns = 12;

/// The first column of a weight gradient.
constexpr std::size_t kWeightGradient = 8;

/// Removes the suffix of a collective's group. Without one, the group depends on the pass.
AstraGroup take_group(std::string_view& word, bool weights) {
  constexpr std::array<std::pair<std::string_view, AstraGroup>, 4> kSuffixes = {
      {{"_DP_EP", AstraGroup::dp_ep},
       {"_EP", AstraGroup::ep},
       {"_DP", AstraGroup::dp},
       {"_TP", AstraGroup::tp}}};
  for (const auto& [suffix, group] : kSuffixes) {
    if (!word.ends_with(suffix)) continue;
    word.remove_suffix(suffix.size());
    return group;
  }
  return weights ? AstraGroup::dp : AstraGroup::tp;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view kSpace = " \t\r\v\f";
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& where, const AstraTextOptions& options,
         Findings& findings)
      : text_(text), where_(where), options_(options), findings_(findings) {}

  Result<AstraWorkload> parse() {
    auto words = next_line();
    if (words.empty()) return fail(Errc::input_empty, where_, "the workload has no first line");
    if (auto done = parse_parallelism(words); !done) return tl::unexpected(done.error());
    words = next_line();
    if (words.size() != 1)
      return fail(Errc::input_corrupt, place(), "the second line must be the number of layers");
    auto layers = number(words[0], "the number of layers");
    if (!layers) return tl::unexpected(layers.error());
    for (words = next_line(); !words.empty(); words = next_line()) {
      if (auto done = parse_layer(words); !done) return tl::unexpected(done.error());
    }
    const auto found = static_cast<std::int64_t>(workload_.layers.size());
    if (*layers == 0) return fail(Errc::input_empty, where_, "declares no layers");
    if (found < *layers) {
      return fail(Errc::input_truncated, where_,
                  fmt::format("has {} of the {} layers that it declares", found, *layers));
    }
    if (found > *layers)
      findings_.add(FindingCode::attr_ignored,
                    fmt::format("{}: declares {} layers but has {}", where_, *layers, found));
    if (workload_.parallelism == Parallelism::dlrm &&
        (workload_.last_bottom == 0 || workload_.last_bottom >= workload_.layers.size())) {
      return fail(Errc::input_range, where_ + ":line 1",
                  fmt::format("the last bottom layer must be 1 to {}", found - 1));
    }
    count_unused();
    return std::move(workload_);
  }

 private:
  /// Counts communications that this parallelism does not use.
  void count_unused() {
    const Parallelism which = workload_.parallelism;
    if (which == Parallelism::transformer) return;
    for (std::size_t i = 0; i < workload_.layers.size(); ++i) {
      const AstraLayer& layer = workload_.layers[i];
      const bool model = which == Parallelism::model || which == Parallelism::hybrid;
      const bool exchange =
          which == Parallelism::dlrm &&
          layer.forward.comm_type == static_cast<std::int32_t>(graph::CollectiveType::all_to_all);
      const bool forward = model || exchange;
      const bool inputs = (model && i != 0) || (which == Parallelism::dlrm && i == 0);
      const bool unused = (!forward && layer.forward.comm_type >= 0) ||
                          (!inputs && layer.input_gradient.comm_type >= 0) ||
                          (which == Parallelism::model && layer.weight_gradient.comm_type >= 0);
      if (unused && !options_.none_is_all_reduce)
        findings_.add(FindingCode::attr_ignored,
                      fmt::format("{}: layer {}: a communication that {} does not use", where_,
                                  printable(layer.name, 40), workload_.word));
    }
  }

  [[nodiscard]] std::string place() const { return fmt::format("{}:line {}", where_, line_); }

  /// The words of the next non-empty line; empty at the end.
  std::vector<std::string_view> next_line() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      auto words = words_of(text_.substr(at_, end - at_));
      at_ = end + 1;
      ++line_;
      if (!words.empty()) return words;
    }
    return {};
  }

  Result<std::int64_t> number(std::string_view word, std::string_view what) const {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range)
      return fail(Errc::input_range, place(), fmt::format("{} is too large", what));
    if (error != std::errc{} || stop != word.data() + word.size()) {
      return fail(
          Errc::input_corrupt, place(),
          fmt::format("{} should be a whole number, not \"{}\"", what, printable(word, 40)));
    }
    if (value < 0) return fail(Errc::input_range, place(), fmt::format("{} is negative", what));
    return value;
  }

  Result<void> parse_parallelism(const std::vector<std::string_view>& words) {
    constexpr std::array<std::pair<std::string_view, Parallelism>, 9> kWords = {
        {{"MICRO", Parallelism::micro},
         {"DATA", Parallelism::data},
         {"MODEL", Parallelism::model},
         {"HYBRID_DATA_MODEL", Parallelism::hybrid},
         {"HYBRID_MODEL_DATA", Parallelism::hybrid},
         {"HYBRID_DLRM", Parallelism::dlrm},
         {"HYBRID_DLRM_ENHANCED", Parallelism::dlrm},
         {"HYBRID_TRANSFORMER", Parallelism::transformer},
         {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", Parallelism::transformer}}};
    const auto known = std::find_if(kWords.begin(), kWords.end(),
                                    [&](const auto& entry) { return entry.first == words[0]; });
    if (known == kWords.end()) {
      return fail(Errc::input_unsupported, place(),
                  fmt::format("unknown parallelism \"{}\"", printable(words[0], 40)),
                  "supported are MICRO, DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, "
                  "HYBRID_DLRM, HYBRID_DLRM_ENHANCED, HYBRID_TRANSFORMER and "
                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    }
    workload_.parallelism = known->second;
    workload_.word = words[0];
    if (known->second == Parallelism::transformer) return parse_plan(words);
    if (known->second != Parallelism::dlrm) return {};
    if (words.size() < 2)
      return fail(Errc::input_corrupt, place(), "the last bottom layer is missing after the word");
    auto layer = number(words[1], "the last bottom layer");
    if (!layer) return tl::unexpected(layer.error());
    workload_.last_bottom = static_cast<std::uint32_t>(std::min<std::int64_t>(*layer, ~0u));
    return {};
  }

  /// Pairs of a key and a number, "ep: 2"; older files end the key without a colon.
  Result<void> parse_plan(const std::vector<std::string_view>& words) {
    AicbPlan& plan = workload_.plan;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
      const std::string_view key = words[i].substr(0, words[i].find(':'));
      auto value = number(words[i + 1], key);
      if (!value) return tl::unexpected(value.error());
      if (key == "checkpoints" || key == "checkpoint_initiates") {
        if (*value == 0) continue;
        return fail(Errc::input_unsupported, place(), "recomputed layers are not supported",
                    "AICB writes checkpoints: 0");
      }
      const bool counts =
          key == "model_parallel_NPU_group" || key == "ep" || key == "pp" || key == "all_gpus";
      if (!counts) {
        // AICB's remarks, without an effect on the layers of a rank.
        constexpr std::array<std::string_view, 3> kRemarks = {"vpp", "ga", "pp_comm"};
        if (std::find(kRemarks.begin(), kRemarks.end(), key) == kRemarks.end())
          findings_.add(FindingCode::attr_ignored,
                        fmt::format("{}: \"{}\"", place(), printable(key, 40)));
        continue;
      }
      if (*value < 1 || *value > static_cast<std::int64_t>(limits::kRanks))
        return fail(Errc::input_range, place(),
                    fmt::format("{} must be 1 to {}", key, limits::kRanks));
      const auto count = static_cast<std::uint32_t>(*value);
      (key == "ep"         ? plan.ep
       : key == "pp"       ? plan.pp
       : key == "all_gpus" ? plan.ranks
                           : plan.tp) = count;
    }
    return {};
  }

  Result<AstraStep> step(const std::vector<std::string_view>& words, std::size_t first) const {
    const bool aicb = workload_.parallelism == Parallelism::transformer;
    const std::int64_t unit = aicb ? kPsPerNs : kPsPerUs;
    AstraStep out;
    auto time = number(words[first], "a time");
    if (!time) return tl::unexpected(time.error());
    if (*time > (std::int64_t{1} << 62) / unit)
      return fail(Errc::input_range, place(), "a time is too large");
    out.duration = Time(*time * unit);
    auto size = number(words[first + 2], "a size");
    if (!size) return tl::unexpected(size.error());
    out.comm_size = *size;
    using graph::CollectiveType;
    constexpr std::array<std::pair<std::string_view, CollectiveType>, 4> kTypes = {
        {{"ALLREDUCE", CollectiveType::all_reduce},
         {"ALLTOALL", CollectiveType::all_to_all},
         {"ALLGATHER", CollectiveType::all_gather},
         {"REDUCESCATTER", CollectiveType::reduce_scatter}}};
    const std::string_view stated = words[first + 1];
    std::string_view word = stated;
    if (aicb) out.group = take_group(word, first == kWeightGradient);
    const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                    [&](const auto& entry) { return entry.first == word; });
    if (known != kTypes.end()) {
      out.comm_type = static_cast<std::int32_t>(known->second);
    } else if (word == "NONE") {
      out.comm_type =
          options_.none_is_all_reduce && workload_.parallelism != Parallelism::dlrm ? 0 : -1;
    } else if (aicb && word == "BROADCAST") {
      // SimAI itself takes it for NONE.
      findings_.add(FindingCode::attr_ignored, place() + ": BROADCAST");
    } else {
      return fail(Errc::input_unsupported, place(),
                  fmt::format("unknown communication \"{}\"", printable(stated, 40)),
                  "supported are ALLREDUCE, ALLTOALL, ALLGATHER, REDUCESCATTER and NONE");
    }
    return out;
  }

  Result<void> parse_layer(const std::vector<std::string_view>& words) {
    if (words.size() < kColumns) {
      return fail(Errc::input_corrupt, place(),
                  fmt::format("a layer has {} columns, but must have {}", words.size(), kColumns));
    }
    AstraLayer layer;
    layer.name = words[0];
    AstraStep* const steps[] = {&layer.forward, &layer.input_gradient, &layer.weight_gradient};
    for (std::size_t i = 0; i < std::size(steps); ++i) {
      auto found = step(words, 2 + 3 * i);
      if (!found) return tl::unexpected(found.error());
      *steps[i] = *found;
    }
    // AICB writes 100 in all files.
    const bool aicb = workload_.parallelism == Parallelism::transformer;
    if (!aicb && words[11] != "0")
      findings_.add(FindingCode::attr_ignored, place() + ": update time");
    workload_.layers.push_back(std::move(layer));
    return {};
  }

  std::string_view text_;
  const std::string& where_;
  const AstraTextOptions& options_;
  Findings& findings_;
  AstraWorkload workload_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

std::string_view name(AstraGroup group) {
  constexpr std::array<std::string_view, 5> kNames = {"all", "tp", "dp", "ep", "dp_ep"};
  return kNames[static_cast<std::size_t>(group)];
}

Result<AstraWorkload> parse_astra_text(std::string_view text, const std::string& where,
                                       const AstraTextOptions& options, Findings& findings) {
  return Parser(text, where, options, findings).parse();
}

}  // namespace orrery::intake
