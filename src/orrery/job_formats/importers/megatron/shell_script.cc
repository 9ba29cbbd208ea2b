// SPDX-License-Identifier: Apache-2.0
//
// Extracts arguments from a shell script without running it: words, variables, branches, options.
#include "orrery/job_formats/importers/megatron/shell_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/job_formats/importers/megatron/slurm_header.h"

namespace orrery::workload {

using config::Json;

namespace {

/// The used options without a value (Megatron: action store_true).
constexpr std::array<std::string_view, 52> kFlags = {"account_for_embedding_in_pipeline_split",
                                                     "account_for_loss_in_pipeline_split",
                                                     "add_qkv_bias",
                                                     "bf16",
                                                     "checkpoint_activations",
                                                     "cpu_offloading",
                                                     "cpu_optimizer",
                                                     "deepspeed",
                                                     "defer_embedding_wgrad_compute",
                                                     "disable_bias_linear",
                                                     "distribute_saved_activations",
                                                     "embed_layernorm",
                                                     "enable_experimental",
                                                     "fp16",
                                                     "fp8_param_gather",
                                                     "grad_reduce_in_bf16",
                                                     "group_query_attention",
                                                     "moe_grouped_gemm",
                                                     "moe_layer_recompute",
                                                     "moe_pad_expert_input_to_capacity",
                                                     "moe_permute_fusion",
                                                     "moe_router_enable_expert_bias",
                                                     "moe_shared_expert_gate",
                                                     "moe_shared_expert_overlap",
                                                     "moe_use_legacy_grouped_gemm",
                                                     "multi_latent_attention",
                                                     "no_masked_softmax_fusion",
                                                     "no_position_embedding",
                                                     "optimizer_cpu_offload",
                                                     "overlap_grad_reduce",
                                                     "overlap_moe_expert_parallel_comm",
                                                     "overlap_p2p_communication",
                                                     "overlap_param_gather",
                                                     "overlap_param_gather_with_optimizer_step",
                                                     "quick_geglu",
                                                     "qk_layernorm",
                                                     "recompute_activations",
                                                     "sequence_parallel",
                                                     "squared_relu",
                                                     "standalone_embedding_stage",
                                                     "swiglu",
                                                     "torch_fsdp2_no_reshard_after_forward",
                                                     "tp_comm_overlap",
                                                     "untie_embeddings_and_output_weights",
                                                     "use_custom_fsdp",
                                                     "use_distributed_optimizer",
                                                     "use_flash_attn",
                                                     "use_megatron_fsdp",
                                                     "use_mcore_models",
                                                     "use_precision_aware_optimizer",
                                                     "use_rotary_position_embeddings",
                                                     "use_torch_fsdp2"};

/// Options with several values.
constexpr std::array<std::string_view, 3> kLists = {"moe_layer_freq", "rampup_batch_size",
                                                    "recompute_modules"};

/// Commands that may follow a list of options without being a value.
constexpr std::array<std::string_view, 12> kCommands = {
    "if", "elif", "else", "fi", "case", "esac", "for", "done", ".", "source", "export", ";;"};

template <class Names>
bool among(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "8" → 8, "1e-5" → 1e-5, "True" → true; other text is unchanged.
Json value_of(const std::string& word) {
  if (word == "True" || word == "False") return word == "True";
  Json parsed = Json::parse(word, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(word);
}

bool is_truth(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word == "true" || word == "false";
}

/// Removes the bracket that closes a list after its last word: "8)" is 8, "([1]*8)" is unchanged.
std::string strip_closing_bracket(std::string word) {
  auto open = std::count(word.begin(), word.end(), '(');
  auto closed = std::count(word.begin(), word.end(), ')');
  for (; closed > open && !word.empty() && word.back() == ')'; --closed) word.pop_back();
  return word;
}

/// The texts before and after the first "=".
std::pair<std::string, std::optional<std::string>> halves(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {word, std::nullopt};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

class Script {
 public:
  explicit Script(Findings& findings) : findings_(findings) {}

  Result<void> read(std::string_view text, const std::string& where);
  MegatronArguments take(const SlurmHeader& header);
  /// Sets what a shell inherits.
  void set(const std::string& name, const std::string& value) { variables_[name] = value; }

 private:
  /// Whether the script runs the current words.
  enum class Run : std::uint8_t { no, maybe, yes };
  /// An `if` or a `case` that is not closed.
  struct Branch {
    Run around;            ///< Run of the enclosing code
    Run now;               ///< Run of the current branch
    bool decided = false;  ///< the condition of an earlier branch is true
    bool doubtful = false;
    bool is_case = false;
    bool at_pattern = false;  ///< case: a pattern starts here
    std::string subject{};    ///< case: the value to compare
    std::string pattern{};    ///< case: the part of the pattern that is read
  };

  [[nodiscard]] Run run() const { return branches_.empty() ? Run::yes : branches_.back().now; }
  [[nodiscard]] const ShellWord& word() const { return (*words_)[at_]; }

  Result<void> next();
  void note_program();
  bool control();
  void choose(Branch& branch, std::optional<bool> condition);
  std::vector<std::string> condition();
  void open_case();
  bool pattern(Branch& branch);
  void assign(const std::string& name, const std::string& value);
  void option(std::string name, std::optional<std::string> value, std::int64_t line);
  [[nodiscard]] bool value_follows(const std::string& name) const;
  Result<void> source(const ShellWord& path);

  Findings& findings_;
  MegatronArguments made_;
  std::map<std::string, std::string> variables_;
  ShellLookup lookup_ = [this](const std::string& name) -> std::optional<std::string> {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional(found->second);
  };
  std::vector<Branch> branches_;
  const std::vector<ShellWord>* words_ = nullptr;
  std::size_t at_ = 0;
  std::string where_;
  std::size_t read_ = 0;  ///< words of all files
  int files_ = 0;
};

Result<void> Script::read(std::string_view text, const std::string& where) {
  const std::vector<ShellWord> words = shell_words(text, limits::kConfigNodes);
  read_ += words.size();
  if (read_ > limits::kConfigNodes)
    return fail(Errc::limit_exceeded, where,
                fmt::format("has more than {} words", limits::kConfigNodes));
  const auto* const outer = std::exchange(words_, &words);
  const std::size_t at = std::exchange(at_, 0);
  const std::string outer_where = std::exchange(where_, where);
  const std::vector<Branch> branches = std::exchange(branches_, {});
  Result<void> fine;
  for (; fine && at_ < words.size(); ++at_) fine = next();
  words_ = outer;
  at_ = at;
  where_ = outer_where;
  branches_ = branches;
  return fine;
}

/// Remembers the Python program: the last word of its kind.
void Script::note_program() {
  const std::string& text = word().text;
  if (text.ends_with(".py") && run() != Run::no)
    made_.program = {fmt::format("{}:{}", where_, word().line), text};
}

Result<void> Script::next() {
  note_program();
  if (word().command && control()) return {};
  if (!branches_.empty() && branches_.back().is_case && pattern(branches_.back())) return {};
  if (word().command && word().text == "echo") {
    while (at_ + 1 < words_->size() && !(*words_)[at_ + 1].command) ++at_;
    return {};
  }
  if (run() == Run::no) return {};
  if (word().command && (word().text == "source" || word().text == ".") && at_ + 1 < words_->size())
    return source((*words_)[++at_]);
  auto [name, value] = halves(strip_closing_bracket(word().text));
  const std::int64_t line = word().line;
  if (name.rfind("--", 0) != 0) {
    if (!value || !is_shell_name(name)) return {};
    if (value->rfind("--", 0) != 0) {
      assign(name, *value);
      return {};
    }
    std::tie(name, value) =
        halves(std::string(*value));  // ARGS="--num-layers 2": a list of options
  }
  name = shell_expand(name.substr(2), lookup_);  // --${DTYPE}
  std::replace(name.begin(), name.end(), '-', '_');
  if (!is_shell_name(name)) return {};
  if (!value && value_follows(name)) value = strip_closing_bracket((*words_)[++at_].text);
  while (value && among(kLists, name) && value_follows(name))
    *value += " " + strip_closing_bracket((*words_)[++at_].text);
  option(std::move(name), std::move(value), line);
  return {};
}

/// Whether the next word is the value of option `name`.
bool Script::value_follows(const std::string& name) const {
  if (at_ + 1 >= words_->size() || word().text.back() == ')') return false;
  const ShellWord& next = (*words_)[at_ + 1];
  if (among(kFlags, name)) return is_truth(next.text);
  if (next.text.rfind("--", 0) == 0 || next.text.find("[@]") != std::string::npos) return false;
  if (next.command && among(kCommands, next.text)) return false;
  const bool expression = !next.text.empty() && (next.text[0] == '(' || next.text[0] == '[' ||
                                                 next.text[0] == '$' || next.text[0] == '{');
  return expression || (next.text.find('=') == std::string::npos && next.text != ")");
}

void Script::assign(const std::string& name, const std::string& value) {
  std::string made = shell_expand(value, lookup_);
  const auto [known, is_new] = variables_.try_emplace(name, made);
  if (is_new) return;
  // Two branches may set different values: the value is unknown, and its name represents it.
  if (run() == Run::maybe && known->second != made) made = "$" + name;
  known->second = std::move(made);
}

void Script::option(std::string name, std::optional<std::string> value, std::int64_t line) {
  std::string text = value ? shell_expand(*value, lookup_) : "";
  if (text.find('$') != std::string::npos) {
    constexpr std::size_t kShown = 80;
    if (text.size() > kShown) text = text.substr(0, kShown) + "...";
    const std::string place = fmt::format("{}:{}", where_, line);
    findings_.add(FindingCode::key_ignored, fmt::format("{}: --{} = {}", where_, name, text));
    made_.options.erase(name);
    made_.unknown[name] = {place, text};
    return;
  }
  made_.unknown.erase(name);
  made_.options[name] = text.empty() ? Json(true) : value_of(text);
}

/// Handles the start, alternatives and end of branches; returns whether the word is one of these.
bool Script::control() {
  const std::string& text = word().text;
  if (text == "if") {
    branches_.push_back({run(), run()});
    choose(branches_.back(), shell_condition(condition(), lookup_));
  } else if (text == "case") {
    open_case();
  } else if (branches_.empty()) {
    return false;
  } else if (text == "elif") {
    choose(branches_.back(), shell_condition(condition(), lookup_));
  } else if (text == "else") {
    choose(branches_.back(), true);
  } else if (text == "fi" || text == "esac") {
    branches_.pop_back();
  } else {
    return false;
  }
  return true;
}

void Script::choose(Branch& branch, std::optional<bool> condition) {
  branch.now = branch.decided || condition == false ? Run::no
               : branch.doubtful || !condition      ? std::min(branch.around, Run::maybe)
                                                    : branch.around;
  branch.decided = branch.decided || condition == true;
  branch.doubtful = branch.doubtful || !condition;
}

/// The words before `then`; continues there.
std::vector<std::string> Script::condition() {
  std::vector<std::string> words;
  while (++at_ < words_->size() && word().text != "then") words.push_back(word().text);
  return words;
}

/// Reads `case SUBJECT in`.
void Script::open_case() {
  Branch branch{run(), Run::no};
  branch.is_case = branch.at_pattern = true;
  if (at_ + 1 < words_->size()) branch.subject = shell_expand((*words_)[++at_].text, lookup_, true);
  if (at_ + 1 < words_->size() && (*words_)[at_ + 1].text == "in") ++at_;
  branches_.push_back(std::move(branch));
}

/// Reads `A | B)` and `;;`; returns whether the word is a part of these.
bool Script::pattern(Branch& branch) {
  if (word().text == ";;") {
    branch.now = Run::no;
    branch.at_pattern = true;
    branch.pattern.clear();
    return true;
  }
  if (!branch.at_pattern) return false;
  branch.pattern += word().text;
  if (branch.pattern.empty() || branch.pattern.back() != ')') return true;
  branch.at_pattern = false;
  const std::string& subject = branch.subject;
  std::string_view rest = branch.pattern;
  rest.remove_suffix(1);
  if (rest.rfind('(', 0) == 0) rest.remove_prefix(1);
  std::optional<bool> predicted = false;
  while (predicted != true) {
    const std::string_view one = rest.substr(0, rest.find('|'));
    if (one == "*" || one == subject) {
      predicted = true;
    } else if (one.find_first_of("*?[") != std::string_view::npos ||
               subject.find('$') != std::string::npos) {
      predicted.reset();
    }
    if (one.size() == rest.size()) break;
    rest.remove_prefix(one.size() + 1);
  }
  choose(branch, predicted);
  return true;
}

/// Reads a sourced file; remembers the first one that does not exist.
Result<void> Script::source(const ShellWord& path) {
  constexpr int kMaxFiles = 64;
  const std::string place = fmt::format("{}:{}", where_, path.line);
  std::string name = shell_expand(path.text, lookup_);
  // "$HERE/models/x.sh", "$(dirname "$0")/x.sh", "`pwd`/x.sh": most likely the script's own folder.
  if (const std::size_t end = name.find("`/", 1); name.starts_with('`') && end != std::string::npos)
    name.erase(0, end + 2);
  if (name.rfind('$', 0) == 0) {
    const std::size_t slash = name.find('/', name.find_last_of(")}") + 1);
    if (name.find_last_of(")}") != std::string::npos && slash != std::string::npos)
      name.erase(0, slash + 1);
    else if (const std::size_t end = name.find('/'); end != std::string::npos)
      name.erase(0, end + 1);
  }
  const bool known = !name.empty() && name.find('$') == std::string::npos && name.front() != '/';
  const std::filesystem::path file = std::filesystem::path(where_).parent_path() / name;
  std::error_code error;
  if (!known || !std::filesystem::is_regular_file(file, error)) {
    findings_.add(FindingCode::key_ignored, fmt::format("{}: source {}", place, path.text));
    if (made_.missing_file.empty()) made_.missing_file = {place, path.text};
    return {};
  }
  if (++files_ > kMaxFiles)
    return fail(Errc::limit_exceeded, place,
                fmt::format("the script reads more than {} files", kMaxFiles),
                "files must not source each other recursively");
  const auto text = config::read_text(file.string());
  if (!text) return tl::unexpected(text.error());
  return read(*text, file.string());
}

/// The arguments; devices that no option gives are those of the batch system.
MegatronArguments Script::take(const SlurmHeader& header) {
  const auto given = [&](const char* name) { return made_.options.contains(name); };
  if (!given("world_size")) {
    if (header.nodes > 0 && !given("nnodes") && !given("num_nodes"))
      made_.options["num_nodes"] = header.nodes;
    if (header.devices > 0 && !given("nproc_per_node") && !given("devices"))
      made_.options["devices"] = header.devices;
    // Launchers start one node unless the script says otherwise (torchrun; deepspeed --num_gpus).
    if (given("num_gpus") && !given("nproc_per_node") && !given("devices"))
      made_.options["devices"] = made_.options["num_gpus"];
    const auto nodes = [&](const char* name) {
      return given(name) || made_.unknown.count(name) != 0;
    };
    if ((given("nproc_per_node") || given("num_gpus")) && !nodes("nnodes") && !nodes("num_nodes"))
      made_.options["num_nodes"] = 1;
  }
  return std::move(made_);
}

}  // namespace

Result<MegatronArguments> megatron_arguments(std::string_view text, const std::string& where,
                                             Findings& findings) {
  Script script(findings);
  const SlurmHeader header = read_slurm_header(text);
  if (!header.nodes_text.empty())
    findings.add(FindingCode::key_without_effect,
                 fmt::format("{}: #SBATCH --nodes={}", where, printable(header.nodes_text)));
  for (const auto& [name, value] : slurm_variables(header)) script.set(name, value);
  if (auto fine = script.read(text, where); !fine) return tl::unexpected(fine.error());
  return script.take(header);
}

}  // namespace orrery::workload
