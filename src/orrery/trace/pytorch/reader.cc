// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pytorch/reader.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/trace/io/json_document.h"
#include "orrery/trace/json/scan.h"
#include "orrery/trace/pytorch/json_scalar.h"
#include "orrery/trace/pytorch/profile_builder.h"
#include "orrery/trace/pytorch/raw_node.h"

namespace orrery::trace::pytorch {
namespace {

constexpr std::size_t kLongestFact = 1u << 16;

using Version = std::array<int, 3>;

/// "1.1.1-chakra.0.0.4" → 1.1.1; nothing if it does not begin with two numbers.
std::optional<Version> version_of(std::string_view schema) {
  Version version{};
  const char* at = schema.data();
  const char* const end = at + schema.size();
  for (std::size_t part = 0; part < version.size(); ++part) {
    if (part != 0) {
      if (at == end || *at != '.') return part == 2 ? std::optional(version) : std::nullopt;
      ++at;
    }
    const auto [rest, error] = std::from_chars(at, end, version[part]);
    if (error != std::errc{}) return std::nullopt;
    at = rest;
  }
  return version;
}

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options, Findings& findings)
      : options_(options), findings_(findings), document_(source, options.where, findings) {
    profile_.strings = options.strings;
    profile_.format = "pytorch_et";
    profile_.where = options.where;
  }

  Result<profile::Profile> run() {
    for (;;) {
      auto more = document_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      auto done = member();
      if (!done) return tl::unexpected(done.error());
    }
    if (!has_nodes_) {
      return fail(Errc::input_unsupported, options_.where,
                  "a JSON file without \"nodes\" is not a PyTorch execution trace");
    }
    builder_.finish();
    if (!complete_account()) {
      return fail(Errc::input_empty, options_.where, "an execution trace without a single operator",
                  "start the observer before the training step");
    }
    return std::move(profile_);
  }

 private:
  Result<void> member() {
    if (document_.key() == "nodes" && document_.is_array()) return nodes();
    if (document_.key() == "traceEvents" || (document_.key().empty() && document_.is_array())) {
      return fail(Errc::input_unsupported, options_.where,
                  "a Kineto trace, not an execution trace");
    }
    const std::string key(document_.key());
    const auto value = document_.value();
    if (!value) return tl::unexpected(value.error());
    return fact(key, json::trim(*value));
  }

  Result<void> fact(const std::string& key, std::string_view value) {
    const std::string text = value.starts_with('"') ? string_value(value) : std::string(value);
    if (key == "schema") return schema(text);
    if (key == "pid") {
      profile_.process_id = integer(value).value_or(0);
    } else if (text.size() <= kLongestFact) {
      profile_.facts.emplace_back(key, text);
    } else {
      findings_.add(FindingCode::string_cut, options_.where + ": \"" + key + "\"");
    }
    return {};
  }

  Result<void> schema(const std::string& text) {
    profile_.schema = text;
    const auto version = version_of(text);
    if (!version || (*version)[0] != 1) {
      return fail(Errc::input_unsupported, options_.where,
                  "schema \"" + text.substr(0, 64) + "\" is not an execution trace schema",
                  "supported schemas are 1.0.0 to 1.1.1, with or without \"-chakra…\"");
    }
    if (*version > Version{1, 1, 1}) {
      findings_.add(FindingCode::unknown_field_kept,
                    options_.where + ": schema " + text.substr(0, 64));
    }
    return {};
  }

  Result<void> nodes() {
    has_nodes_ = true;
    RawNode node;
    bool too_many = false;
    const auto handle = [&](simdjson::ondemand::object& element, std::uint64_t offset) {
      if (!parser_.parse(element, node)) return false;
      if (profile_.events.size() >= limits::kEventsPerRank) {
        too_many = true;
        return false;
      }
      if (!node.category.empty()) profile_.format = "chakra_et_plus";
      builder_.add(node, offset);
      return true;
    };
    auto done = document_.for_each_element(handle);
    profile_.account.records += document_.elements();
    if (done && too_many)
      return fail(Errc::limit_exceeded, options_.where, "more nodes than the limit for a rank");
    return done;
  }

  /// Completes the counts; false if no record was used.
  bool complete_account() {
    profile::RecordCounts& account = profile_.account;
    const std::uint64_t known = account.events + account.mapped + builder_.duplicates();
    if (account.records > known) account.left_out.emplace_back("damaged", account.records - known);
    if (builder_.duplicates() != 0)
      account.left_out.emplace_back("duplicate id", builder_.duplicates());
    return account.events != 0;
  }

  const ReadOptions& options_;
  Findings& findings_;
  json::Document document_;
  profile::Profile profile_;
  NodeParser parser_;
  Builder builder_{profile_, findings_};
  bool has_nodes_ = false;
};

}  // namespace

Result<profile::Profile> read(std::unique_ptr<ByteSource> source, const ReadOptions& options,
                              Findings& findings) {
  return Reader(*source, options, findings).run();
}

}  // namespace orrery::trace::pytorch
