// SPDX-License-Identifier: BSD-3-Clause
// The list of layouts that equivalence is proved for, and the small uneven training they all run.
#include "validation/equivalence/layouts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/data/markov.hpp"

namespace shardstone::validation {

namespace {

using namespace reference;

constexpr std::int64_t symbols = 61;
constexpr std::int64_t sequence = 16;
constexpr std::int64_t global_batch = 24;
constexpr std::int64_t channels = 40;
constexpr std::int64_t block_elements = 12 * channels * channels + 13 * channels;
static_assert(block_elements % (block_elements / 3) == 1);

void add_plans(std::vector<Layout>& layouts, const std::vector<const char*>& plans,
               Layout like = {}) {
    for (const char* plan : plans) {
        like.plan = plan;
        layouts.push_back(like);
    }
}

void add_data_parallel(std::vector<Layout>& all) {
    add_plans(all, {"dp=1", "dp=2", "dp=3", "dp=4", "dp=8"});
    for (const char* all_reduce : {"recursive_doubling", "rabenseifner", "mpi"}) {
        add_plans(all, {"dp=3"}, {.all_reduce = all_reduce});
    }
    add_plans(all, {"dp=4"}, {.overlap = false});
    for (const int stage : {1, 2, 3}) {
        for (const int ranks : {2, 3, 4, 8}) {
            all.push_back({.plan = fmt::format("dp={},zero={}", ranks, stage)});
        }
        all.push_back({.plan = fmt::format("dp=3,zero={}", stage), .overlap = false});
    }
    // Three buckets of a block, and the one element that is left over.
    add_plans(all, {"dp=2", "dp=3,zero=1", "dp=3,zero=2", "dp=3,zero=3"},
              {.bucket_bytes = block_elements / 3 * std::int64_t{sizeof(float)}});
}

void add_pipelines(std::vector<Layout>& all) {
    for (const char* schedule : {"naive", "gpipe", "1f1b", "zb-h1", "zb-h2"}) {
        add_plans(all, {"pp=2", "pp=4"}, {.schedule = schedule});
    }
    add_plans(all, {"pp=3", "pp=5"});
    add_plans(all, {"pp=3"}, {.stage_layers = {1, 3, 1}});
    add_plans(all, {"pp=2"}, {.schedule = "interleaved", .chunks = 2});
    add_plans(all, {"pp=2"},
              {.schedule = "interleaved", .chunks = 2, .stage_layers = {1, 1, 2, 1}});
    for (const char* schedule : {"gpipe", "1f1b", "zb-h1"}) {  // fewer micro-batches than stages
        add_plans(all, {"pp=4"}, {.schedule = schedule, .micro_batch = 12});
    }
}

void add_recomputation(std::vector<Layout>& all) {
    for (const char* recompute : {"selective", "full"}) {
        add_plans(all, {"dp=1", "dp=2,zero=3", "pp=2", "tp=2", "tp=2,sp=1"},
                  {.recompute = recompute});
    }
}

void add_pairs(std::vector<Layout>& all) {
    add_plans(all, {"dp=2,pp=2", "dp=2,pp=2,zero=1", "dp=2,pp=2,zero=2", "dp=2,pp=2,zero=3",
                    "dp=2,pp=4", "dp=2,pp=4,zero=3", "dp=3,pp=2,zero=2"});
    add_plans(all, {"dp=2,pp=2,zero=2"}, {.schedule = "zb-h1"});
    add_plans(all, {"dp=4,pp=2,zero=1"}, {.schedule = "gpipe"});
    add_plans(all, {"dp=2,pp=2,zero=3"}, {.schedule = "interleaved", .chunks = 2});
    add_plans(all, {"dp=4,pp=2,zero=3"}, {.schedule = "naive", .recompute = "full"});
    add_plans(all, {"dp=2,zero=2", "pp=2", "dp=2,pp=2,zero=1"}, {.micro_batch = 2});
}

void add_tensor_parallel(std::vector<Layout>& all) {
    add_plans(all, {"tp=2", "tp=3", "tp=4", "tp=5", "tp=2,sp=1", "tp=3,sp=1", "tp=5,sp=1"});
    add_plans(all, {"dp=2,tp=2", "dp=2,tp=2,zero=1", "dp=2,tp=2,zero=2", "dp=2,tp=2,zero=3",
                    "dp=2,tp=2,zero=2,sp=1", "dp=2,tp=3,zero=3,sp=1", "dp=2,tp=4"});
    add_plans(all, {"tp=2,pp=2", "tp=2,pp=2,sp=1", "tp=2,pp=4", "tp=4,pp=2,sp=1"});
    add_plans(all, {"tp=2,pp=2,sp=1"}, {.schedule = "zb-h1"});
    add_plans(all, {"tp=2,pp=2"}, {.schedule = "interleaved", .chunks = 2});
    for (const char* schedule : {"1f1b", "zb-h1"}) {
        add_plans(all, {"tp=2,pp=2", "tp=3,pp=2", "dp=2,tp=2,pp=2,zero=3"},
                  {.schedule = schedule, .scatter_gather = true});
    }
    add_plans(
        all, {"tp=2,pp=2"},
        {.schedule = "interleaved", .recompute = "full", .chunks = 2, .scatter_gather = true});
}

void add_triples(std::vector<Layout>& all) {
    for (const int stage : {0, 1, 2, 3}) {
        all.push_back({.plan = fmt::format("dp=2,tp=2,pp=2,zero={}", stage)});
        all.push_back({.plan = fmt::format("dp=2,tp=2,pp=2,zero={},sp=1", stage)});
    }
    add_plans(all, {"dp=2,tp=2,pp=2,zero=1"}, {.schedule = "zb-h1"});
    add_plans(all, {"dp=2,tp=2,pp=2,zero=1"}, {.recompute = "selective"});
    add_plans(all, {"dp=2,tp=2,pp=2,zero=3,sp=1"},
              {.schedule = "interleaved", .recompute = "full", .chunks = 2});
}

void add_changed_trainings(std::vector<Layout>& all) {
    for (const Layout& change : {Layout{.shortest = 3}, Layout{.frozen = true}}) {
        add_plans(all,
                  {"dp=1", "dp=2", "dp=3,zero=2", "dp=2,zero=3", "pp=2", "dp=2,pp=2,zero=1", "tp=2",
                   "dp=2,tp=2,pp=2,zero=2,sp=1"},
                  change);
    }
}

void add_plain_sums(std::vector<Layout>& all) {
    add_plans(all,
              {"dp=1", "dp=3", "dp=4,zero=1", "dp=4,zero=2", "pp=2", "dp=2,pp=2,zero=3",
               "tp=2,sp=1", "dp=2,tp=2,pp=2,zero=1"},
              {.reproducible = false});
}

const std::map<std::string, std::string> blocks{{"context-order", "blocks"}};
const std::map<std::string, std::string> gathered{{"context-attention", "all-gather"}};
const std::map<std::string, std::string> gathered_blocks{{"context-attention", "all-gather"},
                                                         {"context-order", "blocks"}};

/// Of 16 positions 3 and 5 ranks have unequal shares.
void add_context_parallel(std::vector<Layout>& all) {
    add_plans(all, {"cp=2", "cp=3", "cp=4", "cp=5", "cp=8"});
    add_plans(all, {"cp=2", "cp=3", "cp=5"}, {.choices = blocks});
    add_plans(all, {"cp=2", "cp=3", "cp=4", "cp=8"}, {.choices = gathered});
    add_plans(all, {"cp=3"}, {.choices = gathered_blocks});
    for (const char* recompute : {"selective", "full"}) {
        add_plans(all, {"cp=3"}, {.recompute = recompute});
        add_plans(all, {"cp=3"}, {.recompute = recompute, .choices = gathered});
    }
    add_plans(all, {"cp=3"}, {.overlap = false});
    add_plans(all, {"cp=3"}, {.micro_batch = 2});
    add_plans(all, {"cp=3"}, {.choices = gathered, .micro_batch = 2});
    add_plans(all, {"cp=2", "dp=2,cp=2,zero=2"}, {.reproducible = false});
}

void add_context_with_others(std::vector<Layout>& all) {
    add_plans(all, {"cp=2,zero=1", "cp=3,zero=2", "cp=2,zero=3", "dp=2,cp=2", "dp=2,cp=2,zero=1",
                    "dp=2,cp=2,zero=2", "dp=2,cp=3,zero=3"});
    add_plans(all, {"tp=2,cp=2", "tp=2,cp=2,sp=1", "tp=3,cp=2,sp=1"});
    add_plans(all, {"tp=2,cp=3,sp=1"}, {.choices = gathered});
    add_plans(all, {"cp=2,pp=2"});
    add_plans(all, {"cp=2,pp=2"}, {.schedule = "zb-h1"});
    add_plans(all, {"cp=2,pp=2"}, {.schedule = "interleaved", .recompute = "full", .chunks = 2});
    add_plans(all, {"dp=2,tp=2,cp=2,zero=3,sp=1", "tp=2,cp=2,pp=2,sp=1", "dp=2,cp=2,pp=2,zero=1"});
    add_plans(all, {"tp=2,cp=2,pp=2"}, {.schedule = "zb-h1", .scatter_gather = true});
    for (const Layout& change : {Layout{.shortest = 3}, Layout{.frozen = true}}) {
        add_plans(all, {"cp=3", "dp=2,cp=2,zero=2"}, change);
    }
}

constexpr ExpertOptions dropless{.count = 4, .top_k = 2};
constexpr ExpertOptions with_capacity{.count = 4, .top_k = 2, .capacity = 1.0};
constexpr ExpertOptions six_of_one_choice{.count = 6, .top_k = 1, .capacity = 1.25};

void add_experts(std::vector<Layout>& all) {
    for (const ExpertOptions& experts : {dropless, with_capacity}) {
        const Layout like{.experts = experts};
        add_plans(all, {"dp=1", "dp=3", "ep=2", "ep=4", "dp=2,ep=2", "dp=3,ep=2"}, like);
        add_plans(all,
                  {"ep=2,zero=1", "dp=2,ep=2,zero=1", "dp=2,ep=2,zero=2", "ep=4,zero=3",
                   "dp=2,ep=2,zero=3"},
                  like);
        add_plans(all,
                  {"tp=2", "tp=3,sp=1", "ep=2,tp=2", "ep=2,tp=3,sp=1", "pp=2", "ep=2,pp=2",
                   "dp=2,ep=2,tp=2,zero=1,sp=1", "ep=2,tp=2,pp=2"},
                  like);
        add_plans(all, {"ep=2,pp=2", "ep=2,tp=2,pp=2,sp=1"},
                  {.schedule = "zb-h1", .experts = experts});
        add_plans(
            all, {"ep=2,pp=2"},
            {.schedule = "interleaved", .recompute = "full", .chunks = 2, .experts = experts});
        add_plans(all, {"ep=2", "ep=2,tp=2,sp=1"}, {.recompute = "full", .experts = experts});
        add_plans(all, {"ep=2"}, {.recompute = "selective", .experts = experts});
        add_plans(all, {"dp=2,ep=2"}, {.overlap = false, .experts = experts});
        add_plans(all, {"dp=1", "ep=2"}, {.micro_batch = 3, .experts = experts});
        add_plans(all, {"ep=2,zero=2"}, {.shortest = 3, .experts = experts});
        add_plans(all, {"dp=2,ep=2"}, {.frozen = true, .experts = experts});
        add_plans(all, {"dp=2,ep=2,zero=1"}, {.reproducible = false, .experts = experts});
    }
    add_plans(all, {"cp=2", "cp=3", "ep=2,cp=2", "ep=2,tp=2,cp=2,sp=1"}, {.experts = dropless});
    add_plans(all, {"ep=2", "ep=3", "ep=6", "ep=3,tp=2,zero=3"}, {.experts = six_of_one_choice});
}

}  // namespace

std::string Layout::name() const {
    std::string text = to_string(parsed_plan());
    const auto add = [&](bool differs, const std::string& what) {
        if (differs) text += " " + what;
    };
    add(parsed_plan().pipeline > 1 || schedule != "1f1b", schedule);
    add(chunks > 1, fmt::format("chunks={}", chunks));
    add(!stage_layers.empty(), fmt::format("layers={}", fmt::join(stage_layers, "-")));
    add(recompute != "none", "recompute=" + recompute);
    add(all_reduce != "ring", all_reduce);
    add(!overlap, "no-overlap");
    add(scatter_gather, "scatter-gather");
    for (const auto& [choice, word] : choices) add(true, fmt::format("{}={}", choice, word));
    add(bucket_bytes != usual_bucket_bytes, fmt::format("bucket={}", bucket_bytes));
    add(micro_batch != 1, fmt::format("micro-batch={}", micro_batch));
    add(shortest > 0, fmt::format("lengths={}-{}", shortest, sequence));
    add(frozen, "frozen");
    add(experts.any(), fmt::format("experts={}x{}", experts.top_k, experts.count));
    add(experts.capacity > 0.0, fmt::format("capacity={}", experts.capacity));
    add(!reproducible, "plain-sums");
    return text;
}

std::vector<Layout> equivalence_layouts() {
    std::vector<Layout> all;
    add_data_parallel(all);
    add_pipelines(all);
    add_recomputation(all);
    add_pairs(all);
    add_tensor_parallel(all);
    add_triples(all);
    add_changed_trainings(all);
    add_plain_sums(all);
    add_context_parallel(all);
    add_context_with_others(all);
    add_experts(all);
    return all;
}

TrainOptions equivalence_training(std::int64_t steps) {
    TrainOptions options;
    options.model = {.name = "uneven",
                     .vocabulary = symbols,
                     .context = sequence,
                     .layers = 5,
                     .heads = 5,
                     .channels = channels};
    options.steps = steps;
    options.batch = {.global_batch = global_batch, .micro_batch = 1, .sequence = sequence};
    options.optimizer.warmup_steps = 1;
    options.eval_sequences = 0;
    options.communication.bucket_bytes = usual_bucket_bytes;
    return options;
}

TrainOptions with_layout(TrainOptions options, const Layout& layout) {
    options.plan = layout.parsed_plan();
    options.pipeline = {layout.schedule, layout.chunks, layout.stage_layers, layout.scatter_gather};
    options.choices = layout.choices;
    options.recompute = parse_recompute(layout.recompute);
    options.communication.all_reduce = layout.all_reduce;
    options.communication.overlap = layout.overlap;
    options.communication.bucket_bytes = layout.bucket_bytes;
    options.reproducible = layout.reproducible;
    options.batch.micro_batch = layout.micro_batch;
    options.batch.shortest = layout.shortest;
    options.model.experts = layout.experts;
    if (layout.frozen) options.frozen = {"token_embedding", "blocks.1."};
    return options;
}

Dataset equivalence_text() {
    constexpr std::size_t tokens = 20000;
    const MarkovLanguage language(1, symbols, 1);
    std::vector<Token> text(tokens);
    language.generate(RandomStream(1, "equivalence"), 0, 0, text);
    return Dataset::from_tokens("synthetic", symbols, std::move(text), {});
}

}  // namespace shardstone::validation
