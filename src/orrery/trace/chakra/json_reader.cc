// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/json_reader.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "orrery/trace/chakra/attribute.h"
#include "orrery/trace/chakra/decode.h"
#include "orrery/trace/chakra/encoding/json_objects.h"
#include "orrery/trace/chakra/node_sink.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/json/decimal.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::chakra {
namespace {

using graph::NodeSpec;
using nlohmann::json;
using Kind = Scalar::Kind;

constexpr std::string_view kDocument = "{\"chakra\":";

/// "durationMicros" → "duration_micros": printed messages use either spelling.
std::string snake_case(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c >= 'A' && c <= 'Z') {
      if (!out.empty()) out += '_';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  return out;
}

Scalar scalar(const json& value) {
  Scalar out;
  if (value.is_boolean()) {
    out.kind = Kind::boolean;
    out.integer = value.get<bool>() ? 1 : 0;
  } else if (value.is_number_unsigned()) {
    out.kind = Kind::natural;
    out.natural = value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    out.kind = Kind::integer;
    out.integer = value.get<std::int64_t>();
  } else if (value.is_number_float()) {
    out.kind = Kind::real;
    out.real = value.get<double>();
  } else if (value.is_string()) {
    out.kind = Kind::text;
    out.text = value.get_ref<const std::string&>();
  }
  return out;
}

/// Ids and times: integers, printed as numbers or (64 bits, by protobuf) as text.
std::uint64_t natural(const json& value, std::string_view key) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (const auto number = trace::json::parse_number<std::uint64_t>(text)) return *number;
  }
  throw RecordError{Errc::input_range,
                    fmt::format("\"{}\" must be a whole number of at least 0", key)};
}

/// Decodes JSON objects, one by one, into one NodeSpec.
class JsonDecoder {
 public:
  JsonDecoder(DecodeContext& context, bool is_workload_form)
      : context_(context), is_workload_form_(is_workload_form) {}

  /// False: not a node (printed metadata). Throws RecordError.
  bool decode(const json& object, std::uint64_t offset, NodeSpec& node) {
    context_.begin(offset);
    node = {};
    node.offset = offset;
    input_values_.clear();
    if (!is_workload_form_ && is_metadata(object)) return false;
    bool has_id = !is_workload_form_;  // protobuf does not print a zero
    for (const auto& [key, value] : object.items()) {
      const std::string name = snake_case(key);
      if (name == "id") {
        node.id = natural(value, key);
        context_.set_node_id(node.id);
        has_id = true;
      } else if (name == "name") {
        if (!value.is_string())
          throw RecordError{Errc::input_corrupt, "\"" + key + "\" must be text"};
        node.name = context_.intern(value.get_ref<const std::string&>());
      } else if (name == "node_type" || name == "type") {
        context_.set_kind(node_type(value, key), node);
      } else if (name == "data_deps" || (name == "ctrl_deps" && !is_workload_form_)) {
        add_deps(value, key, node);
      } else if (name == "runtime" || name == "duration_micros") {
        context_.set_duration(natural(value, key), node);
      } else if (is_workload_form_) {
        apply_workload_attribute(name, value, node);
      } else if (name == "inputs" && value.is_object() && value.contains("values") &&
                 value["values"].is_string()) {
        input_values_ = value["values"].get<std::string>();
      } else if (name == "attr") {
        apply_printed_attributes(value, node);
      }
    }
    if (!has_id) throw RecordError{Errc::input_missing_attr, "a node without \"Id\""};
    context_.finish(node, 0, 0);
    return true;
  }

  [[nodiscard]] std::string_view input_values(const NodeSpec& node) const {
    return node.kind == graph::NodeKind::metadata ? std::string_view(input_values_)
                                                  : std::string_view();
  }

 private:
  static bool is_metadata(const json& object) {
    for (const auto& [key, value] : object.items()) {
      if (key != "version" && key != "attr") return false;
    }
    return true;
  }

  static std::uint64_t node_type(const json& value, const std::string& key) {
    if (value.is_string()) {
      const auto& name = value.get_ref<const std::string&>();
      for (std::uint64_t type = 0; !node_type_name(type).empty(); ++type)
        if (name == node_type_name(type)) return type;
    }
    return natural(value, key);
  }

  void add_deps(const json& list, const std::string& key, NodeSpec& node) {
    if (!list.is_array())
      throw RecordError{Errc::input_corrupt, "\"" + key + "\" must be a list of ids"};
    for (const json& id : list) add_item(node.deps, natural(id, key));
  }

  void apply_workload_attribute(const std::string& name, const json& value, NodeSpec& node) {
    const AttrId id = attr_id(name);
    if (id == AttrId::other ||
        value.is_object()) {  // includes ctrlDeps, which readers of this form ignore
      context_.count_finding(FindingCode::attr_ignored);
      return;
    }
    context_.apply(id, value.is_array() ? list(value) : scalar(value), node);
  }

  void apply_printed_attributes(const json& attributes, NodeSpec& node) {
    if (!attributes.is_array()) throw RecordError{Errc::input_corrupt, "\"attr\" must be a list"};
    for (const json& attribute : attributes) {
      if (!attribute.is_object())
        throw RecordError{Errc::input_corrupt, "an attribute must be an object"};
      AttrId id = AttrId::other;
      Scalar value;
      for (const auto& [key, content] : attribute.items()) {
        if (key == "name") {
          if (content.is_string()) id = attr_id(content.get_ref<const std::string&>());
        } else if (content.is_object()) {
          const auto values = content.find("values");
          value = list(values == content.end() ? json::array() : *values);
        } else if (key != "docString" && key != "doc_string") {
          value = scalar(content);
          // 64-bit numbers are printed as text; the member's name shows that they are numbers.
          if (value.kind == Kind::text && key != "stringVal" && key != "string_val")
            value = number(value.text);
        }
      }
      if (id != AttrId::other) context_.apply(id, value, node);
    }
  }

  static Scalar number(std::string_view text) {
    Scalar value;
    if (const auto integer = trace::json::parse_number<std::int64_t>(text)) {
      value.kind = Kind::integer;
      value.integer = *integer;
    } else if (const auto natural = trace::json::parse_number<std::uint64_t>(text)) {
      value.kind = Kind::natural;
      value.natural = *natural;
    } else {
      value.kind = Kind::text;
      value.text = text;
    }
    return value;
  }

  Scalar list(const json& values) {
    numbers_.clear();
    strings_.clear();
    texts_.clear();
    if (values.is_array()) {
      for (const json& value : values) {
        if (value.is_string()) {
          strings_.push_back(value.get<std::string>());
        } else if (value.is_boolean()) {
          numbers_.push_back(value.get<bool>() ? 1 : 0);
        } else {
          numbers_.push_back(value.is_number_integer() ? value.get<std::uint64_t>() : 0);
        }
      }
    }
    texts_.assign(strings_.begin(), strings_.end());
    Scalar out;
    out.kind = texts_.empty() ? Kind::numbers : Kind::texts;
    out.numbers = numbers_;
    out.texts = texts_;
    return out;
  }

  DecodeContext& context_;
  bool is_workload_form_;
  std::string input_values_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> strings_;
  std::vector<std::string_view> texts_;
};

/// Detects JSON of other tools, which users sometimes confuse with Chakra's. `head`: the available
/// beginning.
Result<void> check_tool(const JsonObjects& objects, std::string_view head,
                        const ReadOptions& options) {
  if (objects.in_array()) return {};
  for (const std::string_view key : {"schema", "nodes", "pid"}) {
    if (objects.first_key() == key) {
      return fail(Errc::input_unsupported, options.where,
                  "this is a PyTorch execution trace, not a Chakra one",
                  "convert it to Chakra first");
    }
  }
  for (const std::string_view key : {"traceEvents", "schemaVersion", "deviceProperties"}) {
    if (objects.first_key() == key) {
      return fail(Errc::input_unsupported, options.where,
                  "this is a Kineto trace, not a Chakra one", "convert it to Chakra first");
    }
  }
  const bool something = !objects.first_key().empty();
  if (something && format_of(head) == Format::unknown) return unsupported_json(options.where);
  return {};
}

}  // namespace

tl::unexpected<Error> unsupported_json(const std::string& where) {
  return fail(Errc::input_unsupported, where, "is not a supported trace",
              "supported JSON: Kineto traces, PyTorch execution traces, Chakra as JSON, PARAM "
              "communication records, MPI calls");
}

Result<graph::Graph> read_json(Window& window, const ReadOptions& options, Findings& findings) {
  // Orrery's export: also printed messages, but in one document.
  const bool document = window.text().substr(0, kDocument.size()) == kDocument;
  JsonObjects objects(window, options.where, document ? "nodes" : "workload_graph");
  if (auto opened = objects.open(); !opened) return tl::unexpected(opened.error());
  if (auto known = check_tool(objects, window.text(), options); !known)
    return tl::unexpected(known.error());
  DecodeContext context(options.where, options.strings, options.repair, findings);
  JsonDecoder decoder(context, objects.in_array() && !document);
  NodeSink sink(options, findings);
  context.use_kernels(sink.kernels(), {});
  NodeSpec node;
  const bool repair = options.repair == graph::Repair::repair;
  while (true) {
    auto text = objects.next();
    if (!text) {
      if (!repair || text.error().code == Errc::limit_exceeded) return tl::unexpected(text.error());
      findings.add(FindingCode::truncated_tail_dropped, text.error().where);
      break;
    }
    if (!*text) break;
    const auto dropped = [&](Error error) -> Result<void> {
      if (!repair) return tl::unexpected(std::move(error));
      findings.add(FindingCode::corrupt_record_dropped, error.where);
      return {};
    };
    const json object = json::parse((*text)->text, nullptr, false);
    Result<void> done;
    if (object.is_discarded()) {
      done =
          dropped({Errc::input_corrupt, fmt::format("{}:byte {}", options.where, (*text)->offset),
                   "a record is not valid JSON"});
    } else {
      try {
        if (decoder.decode(object, (*text)->offset, node))
          done = sink.add(node, decoder.input_values(node));
      } catch (const RecordError& bad) {
        done = dropped({bad.code, context.place(), bad.what, bad.hint});
      }
    }
    if (!done) return tl::unexpected(done.error());
  }
  return std::move(sink).finish();
}

}  // namespace orrery::trace::chakra
