// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "orrery/core/system/sha256.h"
#include "orrery/generative/learning/learned_traces.h"

namespace orrery::generative {
namespace {

using workload::Program;
using workload::Role;

constexpr std::size_t kValidated = 10;  // every so many jobs

class Learner {
 public:
  Learner(const Corpus& corpus, std::uint32_t threads, const LearnProgress& progress)
      : corpus_(corpus), threads_(threads), progress_(progress) {}

  Result<LearnedTraces> run() {
    if (corpus_.jobs == 0)
      return fail(Errc::input_empty, "corpus", "has no jobs",
                  "name a folder with job descriptions");
    if (auto read =
            for_each("reading jobs", [&](auto& program, auto job) { observe(program, job); });
        !read)
      return tl::unexpected(read.error());
    maker_.mine(threads_, [&](double share) { report("finding formulas", share); });
    if (auto read = for_each("reading jobs again",
                             [&](auto& program, auto job) { add_passes(program, job); });
        !read)
      return tl::unexpected(read.error());
    resolve_ambiguities();
    grow();
    learned_.jobs = corpus_.jobs;
    learned_.explained = maker_.explained();
    learned_.symbols = maker_.take();
    return std::move(learned_);
  }

 private:
  void report(std::string_view phase, double share) const {
    if (progress_) progress_(phase, share);
  }

  template <class Use>
  Result<void> for_each(std::string_view phase, const Use& use) {
    for (std::size_t job = 0; job < corpus_.jobs; ++job) {
      const auto program = corpus_.job(job);
      if (!program) return tl::unexpected(program.error());
      if (auto fine = check_learnable(*program); !fine) return fine;
      use(*program, static_cast<std::uint32_t>(job));
      report(phase, static_cast<double>(job + 1) / static_cast<double>(corpus_.jobs));
    }
    return {};
  }

  template <class Use>
  static void for_each_recipe(const Program& program, const Use& use) {
    for (std::uint32_t r = 0; r < program.roles.size(); ++r)
      for (std::uint32_t recipe = 0; recipe < program.roles[r].recipes.size(); ++recipe)
        use(r, recipe, chunk_of(program.roles[r], recipe));
  }

  void observe(const Program& program, std::uint32_t job) {
    for_each_recipe(program, [&](std::uint32_t role, std::uint32_t recipe, std::uint32_t chunk) {
      const FactorValues factors = factors_of(program, role, chunk);
      for (const workload::Segment& segment : program.roles[role].recipes[recipe])
        for (const workload::Op& op : program.bodies[segment.body].ops)
          maker_.observe(form_of(op, chunk), numbers_of(op), factors, job);
    });
  }

  std::uint32_t condition(const std::string& word) {
    return learned_.conditions.emplace(word, static_cast<std::uint32_t>(learned_.conditions.size()))
        .first->second;
  }

  void add_passes(const Program& program, std::uint32_t job) {
    const auto settings = settings_of(program);
    if (!settings) return;
    for (const std::string& word : settings->words) {
      (void)condition(word);
      hash_text_ += word + "\n";
    }
    for (const auto& [path, value] : settings->numbers) {
      hash_text_ += path + "=" + std::to_string(value) + "\n";
      const auto [range, is_new] = learned_.ranges.emplace(path, SettingRange{value, value});
      if (is_new) continue;
      range->second.least = std::min(range->second.least, value);
      range->second.most = std::max(range->second.most, value);
    }
    for_each_recipe(program, [&](std::uint32_t role, std::uint32_t recipe, std::uint32_t chunk) {
      const std::vector<std::string> words = pass_words(program, role, recipe);
      for (const std::string& word : words) (void)condition(word);
      Pass pass;
      pass.validates = job % kValidated == kValidated - 1;
      pass.conditions = condition_numbers(learned_.conditions, settings->words, words);
      pass.tokens = tokens_of(program, role, recipe, chunk);
      pass.factors = factors_of(program, role, chunk);
      for (const workload::Segment& segment : program.roles[role].recipes[recipe])
        pass.runs_layers.push_back(segment.layer >= 0);
      passes_.push_back(std::move(pass));
    });
  }

  std::vector<Token> tokens_of(const Program& program, std::uint32_t number, std::uint32_t recipe,
                               std::uint32_t chunk) {
    const Role& role = program.roles[number];
    const FactorValues factors = factors_of(program, number, chunk);
    const std::int64_t layers = factors[static_cast<std::size_t>(Factor::layers)];
    std::vector<Token> tokens;
    for (const workload::Segment& segment : role.recipes[recipe]) {
      tokens.push_back(maker_.segment(segment.count, layers, segment.layer >= 0));
      for (const workload::Op& op : program.bodies[segment.body].ops)
        tokens.push_back(maker_.op(form_of(op, chunk), numbers_of(op), factors));
    }
    return tokens;
  }

  /// A pass of one job.
  struct Pass {
    bool validates = false;  ///< its job is not in the trees that are validated
    std::vector<std::uint32_t> conditions;
    std::vector<Token> tokens;
    FactorValues factors{};
    std::vector<bool> runs_layers;                     ///< by segment
    std::map<std::size_t, std::vector<Token>> others;  ///< by place: tokens with the same values
  };

  void find_alternatives(Pass& pass) const {
    const std::int64_t layers = pass.factors[static_cast<std::size_t>(Factor::layers)];
    std::map<Token, std::vector<Token>> known;
    std::size_t segment = 0;
    for (std::size_t i = 0; i < pass.tokens.size(); ++i) {
      const Token token = pass.tokens[i];
      const bool begins = maker_.is_segment(token);
      const bool runs_layers = begins && pass.runs_layers[segment];
      if (begins) ++segment;
      const auto [found, is_new] = known.try_emplace(token);
      if (is_new || begins)
        found->second = maker_.alternatives(token, pass.factors, runs_layers ? layers : 0);
      if (!found->second.empty()) pass.others[i] = found->second;
    }
  }

  /// Formulas are equal by coincidence in some jobs: tp - 1 is 1 with tp 2. Such tokens are chosen
  /// as trees predict that know only tokens without a coincidence.
  void resolve_ambiguities() {
    std::vector<Sequence> certain;
    for (Pass& pass : passes_) {
      find_alternatives(pass);
      if (pass.validates) continue;
      Sequence sequence{pass.conditions, pass.tokens, 1, std::vector<bool>(pass.tokens.size())};
      for (const auto& [place, others] : pass.others) sequence.uncertain[place] = true;
      certain.push_back(std::move(sequence));
    }
    const ChoiceTrees trees = grow_trees(certain, maker_.segments(), threads_, [&](double share) {
      report("comparing formulas", share);
    });
    for (Pass& pass : passes_) {
      for (const auto& [place, others] : pass.others)
        pass.tokens[place] = likeliest(trees, pass, place, others);
      add(std::move(pass));
    }
    passes_.clear();
  }

  static Token likeliest(const ChoiceTrees& trees, const Pass& pass, std::size_t place,
                         const std::vector<Token>& others) {
    const auto nodes = trees.path(pass.conditions, std::span(pass.tokens).first(place));
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      Token best = pass.tokens[place];
      std::uint32_t most = 0;
      const auto offer = [&](Token token) {
        const auto found = (*node)->counts.find(token);
        if (found == (*node)->counts.end() || found->second <= most) return;
        most = found->second;
        best = token;
      };
      offer(pass.tokens[place]);
      for (const Token other : others) offer(other);
      if (most > 0) return best;
    }
    return pass.tokens[place];
  }

  /// Equal sequences are stored once, with their number.
  void add(Pass pass) {
    ++learned_.passes;
    bodies_.insert(pass.tokens);
    ++known_[{pass.validates, std::move(pass.conditions), std::move(pass.tokens)}];
  }

  void grow() {
    std::vector<Sequence> training, validation, all;
    for (const auto& [key, weight] : known_) {
      const auto& [validates, conditions, tokens] = key;
      Sequence sequence{conditions, tokens, weight, {}};
      all.push_back(sequence);
      (validates ? validation : training).push_back(std::move(sequence));
    }
    learned_.distinct = bodies_.size();
    const std::size_t vocabulary = maker_.size() + kFirstSymbol;
    if (!validation.empty())
      learned_.validation_loss =
          grow_trees(training, maker_.segments(), threads_, [&](double share) {
            report("validating", share);
          }).loss(validation, vocabulary);
    learned_.trees = grow_trees(all, maker_.segments(), threads_,
                                [&](double share) { report("growing trees", share); });
    learned_.training_loss = learned_.trees.loss(all, vocabulary);
    learned_.corpus_hash = sha256_of(hash_text_);
  }

  const Corpus& corpus_;
  std::uint32_t threads_;
  const LearnProgress& progress_;
  SymbolMaker maker_;
  LearnedTraces learned_;
  std::vector<Pass> passes_;
  std::map<std::tuple<bool, std::vector<std::uint32_t>, std::vector<Token>>, std::uint32_t> known_;
  std::set<std::vector<Token>> bodies_;
  std::string hash_text_;
};

}  // namespace

std::vector<std::uint32_t> condition_numbers(const std::map<std::string, std::uint32_t>& numbers,
                                             const std::vector<std::string>& settings,
                                             const std::vector<std::string>& pass) {
  std::vector<std::uint32_t> made;
  for (const auto* words : {&settings, &pass}) {
    for (const std::string& word : *words) {
      const auto found = numbers.find(word);
      if (found != numbers.end()) made.push_back(found->second);
    }
  }
  std::sort(made.begin(), made.end());
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

Result<LearnedTraces> learn_traces(const Corpus& corpus, std::uint32_t threads,
                                   const LearnProgress& progress) {
  return Learner(corpus, threads, progress).run();
}

}  // namespace orrery::generative
