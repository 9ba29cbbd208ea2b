// SPDX-License-Identifier: Apache-2.0
//
// Reads MLIR's text. Operations have many pretty forms; the reader knows what they share: results,
// a name, operands (%), attributes (name = value), symbols (@), regions, a colon and types.
#include <fmt/format.h>

#include <map>

#include "orrery/hlo/text/mlir_operation.h"
#include "orrery/hlo/text/mlir_types.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::hlo {

namespace {

/// A value by its name: an operation, and how many results it has.
struct Named {
  std::uint32_t operation = 0;
  std::size_t results = 1;
};

constexpr std::uint32_t kNoComputation = ~std::uint32_t{0};

/// The names inside of a function or region.
struct Scope {
  std::uint32_t computation = 0;
  std::map<std::string_view, Named> names;
};

class MlirReader {
 public:
  MlirReader(std::string_view text, std::string where, Findings& findings)
      : cursor_(text), where_(std::move(where)), findings_(findings) {}

  Result<Program> read() {
    if (!statements(0)) return tl::unexpected(error_);
    if (!cursor_.done() && !bad("the program ends here, but the file does not"))
      return tl::unexpected(error_);
    if (!find_called()) return tl::unexpected(error_);
    return std::move(program_);
  }

 private:
  using Parts = MlirOperation;

  bool bad(std::string what, std::uint32_t line = 0) {
    if (error_.where.empty())
      error_ = text_error(cursor_, where_, std::move(what), line,
                          "write the program again, as text of StableHLO (MLIR)");
    return false;
  }

  Computation& here() { return program_.computations[scopes_.back().computation]; }

  /// The statements of a module or body, up to its "}" or the end.
  bool statements(int depth) {
    if (depth > kMostDepth) return bad("nested too deeply");
    while (!cursor_.done() && cursor_.peek() != '}') {
      if (cursor_.at("{-#"))
        skip_mlir_resources(cursor_);
      else if (!statement(depth))
        return false;
    }
    return true;
  }

  bool statement(int depth) {
    const char first = cursor_.peek();
    if (first == '#' || (first == '!' && scopes_.empty())) return alias();
    if (first == '^') return block_label();
    Parts op;
    op.line = cursor_.line();
    if (first == '%' && !results(op)) return false;
    const bool generic = cursor_.peek() == '"';
    op.word = generic ? cursor_.quoted() : cursor_.word();
    if (op.word.empty()) return bad("an operation is expected here");
    const std::string_view name = op.short_name();
    if (name == "module" && scopes_.empty())
      return generic ? generic_module(op, depth) : module(depth);
    if (name == "func" && scopes_.empty())
      return generic ? generic_function(op, depth) : function(depth);
    if (scopes_.empty()) return outside(op, depth);
    if (!parts(op, depth)) return false;
    return name == "return" ? finish(op) : add(op);
  }

  /// "#loc1 = loc(…)", "!type = …": on one line.
  bool alias() {
    cursor_.skip_line();
    return true;
  }

  /// An operation outside of functions: "sdy.mesh @mesh = <[…]>". Others hold no work.
  bool outside(Parts& op, int depth) {
    if (op.short_name() == "mesh") program_.has_shardings = true;
    if (op.short_name() != "mesh")
      findings_.add(FindingCode::key_without_effect,
                    fmt::format("{}:{}: '{}' is outside of a function", where_, op.line, op.word));
    if (cursor_.peek() != '"' && cursor_.peek() != '(') {  // pretty: "private @name = <…>"
      while (cursor_.peek() != '@' && !cursor_.word().empty()) continue;
      if (cursor_.peek() != '@' || cursor_.name_after_sigil().empty())
        return bad(fmt::format("'{}' is outside of a function and has no name", op.word));
      if (cursor_.take("=")) return !mlir_term(cursor_).empty() || bad("the value of a symbol");
    }
    const std::size_t before = program_.computations.size(), calls = calls_.size();
    open_scope({});
    const bool fine = parts(op, depth);
    scopes_.pop_back();
    rooted_.pop_back();
    program_.computations.resize(before);
    calls_.resize(calls);
    return fine;
  }

  /// ""builtin.module"() <{…}> ({…}) {…} : () -> ()".
  bool generic_module(Parts& op, int depth) {
    if (!cursor_.take("(") || !cursor_.take(")")) return bad("'()' is expected after a module");
    if (cursor_.peek() == '<' && !dictionary(op)) return false;
    if (!cursor_.take("(") || !cursor_.take("{")) return bad("'({' is expected after a module");
    if (!statements(depth + 1)) return false;
    if (!cursor_.take("}") || !cursor_.take(")")) return bad("a module does not end");
    if (!generic_end(op)) return false;
    count_devices(op.attribute("mhlo.num_replicas"), program_.replicas);
    count_devices(op.attribute("mhlo.num_partitions"), program_.partitions);
    return true;
  }

  /// "{…} : () -> () loc(…)" after the region of a generic module or function.
  bool generic_end(Parts& op) {
    if (cursor_.peek() == '{' && !cursor_.at("{-#") && !dictionary(op)) return false;
    if (cursor_.take(":") && !signature(op)) return false;
    if (cursor_.at("loc(") && cursor_.take("loc")) (void)cursor_.bracket();
    return true;
  }

  /// ""func.func"() <{sym_name = "main", …}> ({^bb0(%arg0: type): …}) : () -> ()".
  bool generic_function(Parts& op, int depth) {
    if (!cursor_.take("(") || !cursor_.take(")")) return bad("'()' is expected after a function");
    if (cursor_.peek() == '<' && !dictionary(op)) return false;
    if (!cursor_.take("(") || !cursor_.take("{")) return bad("'({' is expected after a function");
    open_scope({});
    const std::uint32_t number = scopes_.back().computation;
    const bool declared = cursor_.peek() == '}';
    rooted_.back() = declared;
    if (!body(depth) || !close_scope(op.line)) return false;
    if (!cursor_.take(")")) return bad("')' is expected after the body of a function");
    if (!generic_end(op)) return false;
    note_sharding(op.attribute("arg_attrs"));
    std::string_view name = op.attribute("sym_name");
    if (name.starts_with('"')) name = Cursor(name).quoted();
    if (name.empty()) return bad("a function has no name", op.line);
    const bool is_private = op.attribute("sym_visibility") == "\"private\"";
    name_function(std::string(name), declared ? kNoComputation : number, is_private);
    return true;
  }

  /// The program begins with main, else with the first public function, else with the first one.
  void name_function(std::string name, std::uint32_t computation, bool is_private) {
    functions_[name] = computation;
    if (computation == kNoComputation) return;
    const int rank = name == "main" ? 3 : is_private ? 1 : 2;
    if (rank > entry_rank_) program_.entry = computation;
    entry_rank_ = std::max(entry_rank_, rank);
    program_.computations[computation].name = std::move(name);
  }

  bool module(int depth) {
    if (cursor_.peek() == '@') program_.name = cursor_.name_after_sigil();
    if (cursor_.take("attributes") || cursor_.at("{mhlo")) {
      const std::string_view attributes = cursor_.bracket();
      if (attributes.empty()) return bad("a dictionary does not end");
      count_devices(value_in(attributes, "mhlo.num_replicas"), program_.replicas);
      count_devices(value_in(attributes, "mhlo.num_partitions"), program_.partitions);
    }
    if (!cursor_.take("{")) return bad("'{' is expected after a module");
    if (!statements(depth + 1)) return false;
    if (!cursor_.take("}")) return bad("a module does not end");
    if (cursor_.take("loc")) (void)cursor_.bracket();
    while (cursor_.peek() == '#') alias();
    return true;
  }

  void count_devices(std::string_view value, std::int64_t& count) {
    if (take_count(value, count)) program_.states_devices = true;
  }

  bool function(int depth) {
    const std::uint32_t line = cursor_.line();
    std::string_view word = cursor_.word();
    if (!word.empty() && word != "public" && word != "private" && word != "nested")
      return bad("'func.func @name(…)' is expected");
    if (cursor_.peek() != '@') return bad("a function has no name");
    const std::string_view name = cursor_.name_after_sigil();
    open_scope(std::string(name));
    const std::uint32_t number = scopes_.back().computation;
    if (!cursor_.take("(") || !arguments(")")) return bad("the arguments of a function");
    if (cursor_.take("->")) {
      if (cursor_.peek() == '(' ? cursor_.bracket().empty() : !mlir_type(cursor_))
        return bad("the results of a function");
    }
    if (cursor_.take("attributes") && cursor_.bracket().empty())
      return bad("a dictionary does not end");
    const bool declared = cursor_.peek() != '{' || cursor_.at("{-#");
    if (declared) {
      rooted_.back() = true;
      name_function(std::string(name), kNoComputation, true);
      return close_scope(line);
    }
    name_function(std::string(name), number, word == "private");
    cursor_.skip(1);
    return body(depth) && close_scope(line);
  }

  void open_scope(std::string name) {
    Scope scope;
    scope.computation = static_cast<std::uint32_t>(program_.computations.size());
    program_.computations.emplace_back().name = std::move(name);
    scopes_.push_back(std::move(scope));
    rooted_.push_back(false);
  }

  bool body(int depth) {
    if (!statements(depth + 1)) return false;
    return cursor_.take("}") || bad("a body does not end");
  }

  bool close_scope(std::uint32_t line) {
    if (cursor_.take("loc")) (void)cursor_.bracket();
    if (!rooted_.back()) return bad("a function or region does not return", line);
    rooted_.pop_back();
    scopes_.pop_back();
    return true;
  }

  /// "%a: type {…} loc(…), …" up to `end`.
  bool arguments(std::string_view end) {
    while (!cursor_.take(end)) {
      std::string_view name;  // a declaration has only types
      if (cursor_.peek() == '%') {
        name = cursor_.name_after_sigil();
        if (name.empty() || !cursor_.take(":")) return bad("an argument has no type");
      }
      auto type = mlir_type(cursor_);
      if (!type) return bad("the type of an argument");
      if (cursor_.peek() == '{') {
        const std::string_view attributes = cursor_.bracket();
        if (attributes.empty()) return bad("a dictionary does not end");
        note_sharding(attributes);
      }
      if (cursor_.take("loc")) (void)cursor_.bracket();
      if (!add_parameter(name, *std::move(type))) return false;
      cursor_.take(",");
    }
    return true;
  }

  void note_sharding(std::string_view attributes) {
    if (attributes.find("devices=[") != attributes.npos ||
        attributes.find("sdy.sharding") != attributes.npos)
      program_.has_shardings = true;
  }

  bool add_parameter(std::string_view name, Shape shape) {
    Instruction op;
    op.opcode = &find_opcode("parameter");
    op.word = "parameter";
    op.name = name;
    op.line = cursor_.line();
    op.number = static_cast<std::int64_t>(here().parameters.size());
    op.shape = std::move(shape);
    const auto number = static_cast<std::uint32_t>(here().operations.size());
    here().parameters.push_back(number);
    return push(std::move(op)) && (name.empty() || define(name, {number, 1}));
  }

  bool push(Instruction op) {
    if (++operations_ > kMostOperations) {
      error_ = Error{Errc::limit_exceeded, where_,
                     fmt::format("has more than {} operations", kMostOperations)};
      return false;
    }
    here().operations.push_back(std::move(op));
    return true;
  }

  bool define(std::string_view name, Named value) {
    if (!scopes_.back().names.emplace(name, value).second)
      return bad(fmt::format("'%{}' is defined twice", name), cursor_.line());
    return true;
  }

  /// "%a, %b:2 =".
  bool results(Parts& op) {
    do {
      if (cursor_.peek() != '%') return bad("a result is expected");
      const std::string_view name = cursor_.name_after_sigil();
      if (name.empty()) return bad("a result has no name");
      std::size_t count = 1;
      if (cursor_.take(":")) {
        const auto stated = integers_in(cursor_.word());
        if (stated.size() != 1 || stated[0] < 0 ||
            stated[0] > static_cast<std::int64_t>(kMostParts))
          return bad("a number of results is expected");
        count = static_cast<std::size_t>(stated[0]);
      }
      if (op.results.empty()) op.results = name;
      op.names.emplace_back(name, count);
      op.result_count += count;
      if (op.result_count > kMostParts) return bad("too many results");
    } while (cursor_.take(","));
    return cursor_.take("=") || bad("'=' is expected after a result");
  }

  /// "^bb0(%a: type):".
  bool block_label() {
    (void)cursor_.name_after_sigil();
    if (scopes_.empty()) return bad("a block outside of a function");
    if (cursor_.take("(") && !arguments(")")) return false;
    return cursor_.take(":") || bad("':' is expected after a block");
  }

  // --- the parts of an operation

  bool parts(Parts& op, int depth) {
    std::vector<std::pair<std::string_view, std::uint32_t>> named;  // initial values of a loop
    std::vector<std::pair<std::string_view, Shape>> declared;       // arguments of the next region
    int brackets = 0;
    bool typed = false;
    for (;;) {
      const char c = cursor_.peek();
      if (c == '%') {
        if (typed && brackets == 0) return true;
        if (!value(op, named, declared)) return false;
      } else if (c == ':' && brackets == 0 && !typed) {
        cursor_.skip(1);
        if (!signature(op)) return false;
        typed = true;
      } else if (c == '(') {
        cursor_.skip(1);
        if (cursor_.peek() == '{') {
          if (!generic_regions(op, depth)) return false;
        } else {
          ++brackets;
        }
      } else if (c == ')' && brackets > 0) {
        cursor_.skip(1);
        --brackets;
      } else if (c == ',' || (c == ':' && brackets > 0)) {
        cursor_.skip(1);
      } else if (c == '{' || c == '<') {
        if (!declared.empty()) {
          if (!region(op, depth, declared)) return false;
          declared.clear();
        } else if (c == '<' && !cursor_.at("<{")) {  // "<@mesh, [{"x"}, {}]>"
          if (cursor_.bracket().empty()) return bad("an attribute does not end");
        } else if (!dictionary(op)) {
          return false;
        }
      } else if (c == '[') {
        op.lists.push_back(cursor_.bracket());
        if (op.lists.back().empty()) return bad("a list does not end");
      } else if (c == '@') {
        op.symbols.push_back(cursor_.name_after_sigil());
      } else if (c == '#') {
        if (mlir_term(cursor_).empty()) return bad("an attribute does not end");
      } else if (c == '"') {
        if (typed) return true;
        op.strings.push_back(cursor_.quoted());
      } else if (c == '\0' || c == '}' || c == '^') {
        return brackets == 0 || bad("')' is expected");
      } else if (const Step step = word(op, typed, depth, named); step != Step::next) {
        return step == Step::end;
      }
    }
  }

  enum class Step : std::uint8_t { next, end, failed };

  /// A word: a keyword, the name of an attribute, or, after the types, the next operation.
  Step word(Parts& op, bool typed, int depth,
            const std::vector<std::pair<std::string_view, std::uint32_t>>& named) {
    const auto unless = [](bool fine) { return fine ? Step::next : Step::failed; };
    if (typed) {
      if (cursor_.at("loc(")) {
        cursor_.take("loc");
        op.location = cursor_.bracket();
        return unless(!op.location.empty() || bad("a location does not end"));
      }
      if (cursor_.at("reducer(")) {
        cursor_.take("reducer");
        return unless(reducer(op, depth));
      }
      if (cursor_.at("cond {") || cursor_.at("do {")) {
        (void)cursor_.word();
        return unless(loop_region(op, depth, named));
      }
      if (cursor_.at("attributes {")) {
        (void)cursor_.word();
        return Step::next;
      }
      if (cursor_.at("to ")) {  // arith.index_cast %a : index to i64
        (void)cursor_.word();
        return unless(signature(op));
      }
      return Step::end;
    }
    const std::string_view found = cursor_.word();
    if (found.empty()) {
      if (cursor_.ahead(0) == '-' || cursor_.ahead(0) == '+') {
        cursor_.skip(1);
        return Step::next;
      }
      return unless(bad(fmt::format("'{}' is not expected here", cursor_.ahead(0))));
    }
    if (cursor_.ahead(0) == '<') {  // dense<…>
      const std::string_view content = cursor_.bracket();
      if (content.empty()) return unless(bad(fmt::format("'{}<' does not end", found)));
      op.attributes.emplace_back("value",
                                 std::string_view(found.data(), found.size() + content.size()));
      return Step::next;
    }
    if (!cursor_.at("=") || cursor_.at("==")) {
      op.words.push_back(found);
      return Step::next;
    }
    cursor_.take("=");
    return unless(named_value(op, found));
  }

  bool named_value(Parts& op, std::string_view key) {
    if (key == "dim_numbers") {
      const std::string_view lists = mlir_dimension_numbers(cursor_);
      if (lists.empty()) return bad("dimension numbers are [b, 0, f]x[0, i, o]->[b, 0, f]");
      op.attributes.emplace_back(key, lists);
      return true;
    }
    const std::string_view value = mlir_term(cursor_);
    if (value.empty()) return bad(fmt::format("the value of '{}'", key));
    op.attributes.emplace_back(key, value);
    if (cursor_.at("x [") && cursor_.take("x"))
      op.attributes.emplace_back(
          key == "contracting_dims" ? "contracting_dims x" : "batching_dims x", cursor_.bracket());
    return true;
  }

  /// "{a = 1, b}" or "<{…}>".
  bool dictionary(Parts& op) {
    const bool properties = cursor_.take("<");
    if (!cursor_.take("{")) return bad("'{' is expected");
    while (!cursor_.take("}")) {
      const std::string_view quoted = cursor_.peek() == '"' ? cursor_.quoted() : cursor_.word();
      if (quoted.empty()) return bad("the name of an attribute is expected");
      std::string_view value;
      if (cursor_.take("=")) {
        value = cursor_.until(",}");
        if (value.empty()) return bad(fmt::format("the value of '{}'", quoted));
        if (quoted == "mhlo.sharding") note_sharding(value);
      }
      op.attributes.emplace_back(quoted, value);
      if (!cursor_.take(",") && cursor_.peek() != '}') return bad("',' or '}' is expected");
    }
    return !properties || cursor_.take(">") || bad("'>' is expected");
  }

  /// "%a", "%a#1", "%a = %b" of a loop, "%a: type" of a region.
  bool value(Parts& op, std::vector<std::pair<std::string_view, std::uint32_t>>& named,
             std::vector<std::pair<std::string_view, Shape>>& declared) {
    const std::string_view name = cursor_.name_after_sigil();
    if (name.empty()) return bad("a value has no name");
    if (op.short_name() == "while" && cursor_.at("=")) {
      cursor_.take("=");
      if (cursor_.peek() != '%') return bad("the initial value of a loop");
      const auto initial = operand(cursor_.name_after_sigil());
      if (!initial) return false;
      op.operands.push_back(*initial);
      named.emplace_back(name, *initial);
      return true;
    }
    if (op.short_name() == "manual_computation" && cursor_.at(":")) {
      cursor_.take(":");
      auto type = mlir_type(cursor_);
      if (!type) return bad("the type of an argument");
      declared.emplace_back(name, *std::move(type));
      return true;
    }
    const auto found = operand(name);
    if (found) op.operands.push_back(*found);
    return found.has_value();
  }

  /// The operation of a value, after its name; "#1" selects a result.
  std::optional<std::uint32_t> operand(std::string_view name) {
    std::int64_t part = -1;
    if (cursor_.ahead(0) == '#') {
      cursor_.skip(1);
      const auto number = integers_in(cursor_.word());
      part = number.size() == 1 ? number[0] : -1;
      if (part < 0) {
        bad("the number of a result is expected");
        return {};
      }
    }
    const auto found = resolve(name, scopes_.size() - 1, part);
    if (!found && error_.where.empty())
      bad(fmt::format("'%{}' is not defined before", name), cursor_.line());
    return found;
  }

  /// Looks a name up in a scope and around it. A value from around becomes a parameter.
  std::optional<std::uint32_t> resolve(std::string_view name, std::size_t scope,
                                       std::int64_t part) {
    const auto found = scopes_[scope].names.find(name);
    if (found != scopes_[scope].names.end()) {
      if (found->second.results == 1) {
        if (part > 0) return {};
        return found->second.operation;
      }
      part = std::max(part, std::int64_t{0});  // "%0" is "%0#0"
      if (static_cast<std::size_t>(part) >= found->second.results) return {};
      return found->second.operation + 1 + static_cast<std::uint32_t>(part);
    }
    if (scope == 0) return {};
    const auto outside = resolve(name, scope - 1, part);
    if (!outside) return {};
    Computation& inner = program_.computations[scopes_[scope].computation];
    for (std::size_t i = 0; i < inner.captured.size(); ++i)
      if (inner.captured[i] == *outside)
        return inner.parameters[inner.parameters.size() - inner.captured.size() + i];
    return capture(scopes_[scope - 1].computation, *outside, inner);
  }

  std::uint32_t capture(std::uint32_t around, std::uint32_t outside, Computation& inner) {
    Instruction op;
    op.opcode = &find_opcode("parameter");
    op.word = "captured";
    op.number = static_cast<std::int64_t>(inner.parameters.size());
    op.shape = program_.computations[around].operations[outside].shape;
    const auto number = static_cast<std::uint32_t>(inner.operations.size());
    inner.operations.push_back(std::move(op));
    inner.parameters.push_back(number);
    inner.captured.push_back(outside);
    ++operations_;
    return number;
  }

  bool signature(Parts& op) {
    auto types = mlir_types(cursor_);
    if (!types) return bad(fmt::format("the types of '{}'", op.word), op.line);
    if (cursor_.take("->")) {
      types = mlir_types(cursor_);
      if (!types) return bad(fmt::format("the types of the results of '{}'", op.word), op.line);
    } else if (types->size() > op.result_count && op.result_count == 1) {
      types->erase(types->begin(), types->end() - 1);  // select: its last type is the result's
    } else if (types->size() == 1 && op.result_count == 0) {
      types->clear();
    }
    op.shapes = *std::move(types);
    return true;
  }

  bool generic_regions(Parts& op, int depth) {
    do {
      if (!region(op, depth, {})) return false;
    } while (cursor_.take(","));
    return cursor_.take(")") || bad("')' is expected after regions");
  }

  bool region(Parts& op, int depth, const std::vector<std::pair<std::string_view, Shape>>& given) {
    const std::uint32_t line = cursor_.line();
    if (!cursor_.take("{")) return bad("'{' is expected");
    open_scope(fmt::format("{}.region", op.results));
    for (const auto& [name, shape] : given)
      if (!add_parameter(name, shape)) return false;
    op.regions.push_back(scopes_.back().computation);
    return body(depth + 1) && close_scope(line);
  }

  /// "reducer(%a: type, …) (…) {…}".
  bool reducer(Parts& op, int depth) {
    const std::uint32_t line = cursor_.line();
    open_scope(fmt::format("{}.reducer", op.results));
    while (cursor_.take("("))
      if (!arguments(")")) return false;
    if (!cursor_.take("{")) return bad("'{' is expected after a reducer");
    op.regions.push_back(scopes_.back().computation);
    return body(depth + 1) && close_scope(line);
  }

  bool loop_region(Parts& op, int depth,
                   const std::vector<std::pair<std::string_view, std::uint32_t>>& named) {
    std::vector<std::pair<std::string_view, Shape>> given;
    for (const auto& [name, initial] : named)
      given.emplace_back(name, here().operations[initial].shape);
    return region(op, depth, given);
  }

  // --- operations of the program

  bool add(Parts& op) {
    if (op.shapes.size() != op.result_count && op.result_count > 1)
      return bad(fmt::format("'{}' has {} results and {} types", op.word, op.result_count,
                             op.shapes.size()),
                 op.line);
    Instruction made = understand(op);
    if (made.opcode->op_class == OpClass::unknown)
      findings_.add(FindingCode::key_without_effect,
                    fmt::format("{}:{}: the operation '{}': one pass over its data is assumed",
                                where_, op.line, op.word));
    if (op.short_name() == "manual_computation" || made.target == "SPMDFullToShardShape" ||
        made.target == "xla.sdy.GlobalToLocalShape")
      program_.has_manual_regions = true;
    const auto number = static_cast<std::uint32_t>(here().operations.size());
    const bool applies = !op.words.empty() && op.words.front() == "applies";
    if (applies && made.called.empty()) made.target = op.words.size() > 1 ? op.words[1] : "";
    if (!made.target.empty() && made.opcode->op_class == OpClass::call && made.called.empty())
      calls_.push_back({scopes_.back().computation, number});
    const std::vector<Shape> shapes = std::move(op.shapes);
    if (!push(std::move(made))) return false;
    if (op.results.empty()) return true;
    if (op.result_count <= 1) return define(op.results, {number, op.result_count});
    std::uint32_t first = number;  // parts have the next numbers
    for (const auto& [name, count] : op.names) {
      if (!define(name, count == 1 ? Named{first + 1, 1} : Named{first, count})) return false;
      first += static_cast<std::uint32_t>(count);
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      Instruction part;
      part.opcode = &find_opcode("get_tuple_element");
      part.word = "get_tuple_element";
      part.name = fmt::format("{}#{}", op.results, i);
      part.line = op.line;
      part.number = static_cast<std::int64_t>(i);
      part.operands = {number};
      part.shape = shapes[i];
      if (!push(std::move(part))) return false;
    }
    return true;
  }

  /// "return": the root of the computation.
  bool finish(Parts& op) {
    rooted_.back() = true;
    if (op.operands.size() == 1) {
      here().root = op.operands.front();
      return true;
    }
    Instruction tuple;
    tuple.opcode = &find_opcode("tuple");
    tuple.word = "return";
    tuple.line = op.line;
    tuple.shape.type = ElementType::tuple;
    for (const std::uint32_t each : op.operands)
      tuple.shape.parts.push_back(here().operations[each].shape);
    tuple.operands = std::move(op.operands);
    here().root = static_cast<std::uint32_t>(here().operations.size());
    return push(std::move(tuple));
  }

  bool find_called() {
    if (entry_rank_ == 0) return bad("the file has no function", cursor_.line());
    for (const auto& [computation, number] : calls_) {
      Instruction& op = program_.computations[computation].operations[number];
      const auto found = functions_.find(op.target);
      if (found == functions_.end())
        return bad(fmt::format("'@{}' is not a function of the file", op.target), op.line);
      if (found->second == kNoComputation) {  // declared only: its work is unknown
        op.opcode = &find_opcode("custom_call");
        continue;
      }
      op.called = {found->second};
    }
    return true;
  }

  Cursor cursor_;
  std::string where_;
  Findings& findings_;
  Program program_;
  Error error_{Errc::input_corrupt, {}, {}, {}};
  std::vector<Scope> scopes_;
  std::vector<bool> rooted_;
  std::map<std::string, std::uint32_t, std::less<>> functions_;  // kNoComputation: declared only
  int entry_rank_ = 0;                                           // 0: no function has a body
  struct Call {
    std::uint32_t computation, operation;
  };
  std::vector<Call> calls_;
  std::size_t operations_ = 0;
};

}  // namespace

Result<Program> read_stablehlo(std::string_view text, const std::string& where,
                               Findings& findings) {
  return MlirReader(text, where, findings).read();
}

}  // namespace orrery::hlo
