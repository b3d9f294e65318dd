// SPDX-License-Identifier: BSD-3-Clause
// What `shardstone train` says of itself: settings, data, hashes, losses, state, memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>

#include "reference/data/default_text.hpp"
#include "results/format/atomic_file.hpp"
#include "validation/unit/jobs/command/recorded_run.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;

TEST(TrainRecord, NamesOnlySettingsInForce) {
    const RecordedRun plain(1, "train --model nano --global-batch 2 --steps 2");
    ASSERT_EQ(plain.code(), 0) << plain.errors() << plain.output();
    const json fp32 = plain.record().configuration;
    for (const char* name : {"loss_scale", "scale_growth", "inject_overflow", "momentum", "trust",
                             "base_batch", "schedule", "chunks", "stage_layers", "bucket_bytes",
                             "overlap", "shortest", "eval_every", "frozen"}) {
        EXPECT_TRUE(fp32.at(name).is_null()) << name << " " << fp32.at(name);
    }
    EXPECT_EQ(fp32.at("beta2"), 0.95);
    EXPECT_EQ(fp32.at("precision"), "fp32");

    const RecordedRun other(
        2,
        "train --model nano --global-batch 4 --steps 3 --precision fp16 --loss-scale 512 "
        "--scale-growth 7 --optimizer momentum --momentum 0.8 --shortest 9 --eval-every 2 "
        "--plan pp=2 --freeze blocks.1 --lr-shape constant --inject-overflow 3:1");
    ASSERT_EQ(other.code(), 0) << other.errors() << other.output();
    const json fp16 = other.record().configuration;
    const json expected{
        {"loss_scale", 512.0},   {"scale_growth", 7},      {"inject_overflow", "3:1"},
        {"momentum", 0.8},       {"schedule", "1f1b"},     {"chunks", 1},
        {"shortest", 9},         {"eval_every", 2},        {"beta1", nullptr},
        {"least_rate", nullptr}, {"bucket_bytes", nullptr}};
    for (const auto& [name, value] : expected.items()) EXPECT_EQ(fp16.at(name), value) << name;
}

TEST(TrainRecord, NamesItsDataByHash) {
    const RecordedRun usual(2, "train --model nano --global-batch 2 --steps 1");
    ASSERT_EQ(usual.code(), 0) << usual.errors() << usual.output();
    const json data = usual.record().configuration.at("data");
    EXPECT_EQ(data.at("source"), "Paradise Lost");
    EXPECT_EQ(data.at("hash"), reference::default_dataset().hash());
    EXPECT_EQ(data.at("train_tokens"), 411096);
    EXPECT_EQ(data.at("held_out_tokens"), 45677);

    const TemporaryFolder folder;
    const std::string shards = (folder / "shards").string();
    const auto made = run_shell(shardstone_binary() +
                                    " data synthetic --symbols 16 --order 1 "
                                    "--tokens 4000 --out " +
                                    shards,
                                folder);
    ASSERT_EQ(made.code, 0) << made.errors;
    const RecordedRun other(1, "train --model nano --global-batch 2 --steps 1 --data " + shards);
    ASSERT_EQ(other.code(), 0) << other.errors() << other.output();
    const json manifest = json::parse(results::read_file(folder / "shards/manifest.json"));
    EXPECT_EQ(other.record().configuration.at("data").at("hash"), manifest.at("checksum"));
    EXPECT_EQ(other.record().configuration.at("data").at("train_tokens"), 3600);
}

TEST(TrainRecord, KeepsTheHashesOfAReproducibleRun) {
    const std::string arguments = "train --model nano --global-batch 4 --steps 3 --reproducible";
    const RecordedRun one(1, arguments), three(4, arguments);
    ASSERT_EQ(one.code(), 0) << one.errors() << one.output();
    const auto hashes = one.record().table("hashes").column("xxh3").texts;
    EXPECT_EQ(hashes, three.record().table("hashes").column("xxh3").texts);
    EXPECT_EQ(one.record().table("hashes").column("of").texts,
              (std::vector<std::string>{"losses", "gradients", "parameters"}));
    EXPECT_NE(one.output().find(fmt::format("losses {}  gradients {}  parameters {}", hashes.at(0),
                                            hashes.at(1), hashes.at(2))),
              std::string::npos)
        << one.output();
    EXPECT_NE(hashes.at(1), hashes.at(2));
    const RecordedRun plain(1, "train --model nano --global-batch 4 --steps 1");
    EXPECT_FALSE(plain.record().has_table("hashes"));
}

// The same command has the same losses on every machine and day. In FP64 machines differ by the
// order of the sums in products alone: some 1e-16 of each number, which the first twenty steps
// amplify far less than the ten million times that would show. FP32 rounds 5e8 times more coarsely;
// its loss then lies within some 1e-6 of FP64's, and 1e-4 leaves room for another library.
TEST(TrainRecord, TheLossOfAFixedCommandStaysWhatItIs) {
    const std::string arguments =
        "train --model nano --global-batch 8 --steps 20 --lr 3e-3 --seed 7 --precision ";
    const RecordedRun fp64(2, arguments + "fp64"), fp32(2, arguments + "fp32");
    ASSERT_EQ(fp64.code(), 0) << fp64.errors() << fp64.output();
    ASSERT_EQ(fp32.code(), 0) << fp32.errors() << fp32.output();
    EXPECT_NEAR(column(fp64.record(), "steps", "loss").front(), 5.537928725160924, 1e-9);
    EXPECT_NEAR(single(fp64.record(), "summary", "final_loss"), 4.036887792016273, 1e-9);
    EXPECT_NEAR(single(fp64.record(), "summary", "validation_loss"), 4.010317797967838, 1e-9);
    EXPECT_NEAR(single(fp32.record(), "summary", "final_loss"), 4.036887792016273, 1e-4);
    EXPECT_NE(single(fp32.record(), "summary", "final_loss"),
              single(fp64.record(), "summary", "final_loss"));
    EXPECT_EQ(fp64.record().table("summary").column("peak_arithmetic").texts.at(0),
              "FP64 multiply-adds");
}

TEST(TrainRecord, NamesTheGradientThatIsNotFinite) {
    const RecordedRun plain(2,
                            "train --model nano --global-batch 4 --steps 5 --eval-sequences 0 "
                            "--inject-overflow 2:1");
    EXPECT_EQ(plain.code(), 3) << plain.errors();
    EXPECT_EQ(column(plain.record(), "steps", "step"), (std::vector<double>{1.0, 2.0}));
    EXPECT_NE(plain.output().find("     2 gradient out of range: rank 1: "), std::string::npos)
        << plain.output();
    bool failed = false;
    const auto record = plain.record();
    for (const auto& check : record.verification) {
        if (check.name != "gradients are in range where they are applied") continue;
        failed = !check.passed && check.detail.starts_with("step 2, rank 1: ") &&
                 check.detail.ends_with("] is inf");
    }
    EXPECT_TRUE(failed);

    const RecordedRun scaled(2,
                             "train --model nano --global-batch 4 --steps 3 --precision fp16 "
                             "--inject-overflow 2:1");
    EXPECT_EQ(scaled.code(), 0) << scaled.output();
    EXPECT_EQ(column(scaled.record(), "steps", "skipped"), (std::vector<double>{0.0, 1.0, 0.0}));
    EXPECT_EQ(column(scaled.record(), "steps", "loss_scale"),
              (std::vector<double>{65536.0, 65536.0, 32768.0}));
}

// What remains of the first tensors' gradients is in buckets that begin after their group does.
TEST(TrainRecord, NamesTheElementThatIsNotFiniteByItsTensor) {
    const RecordedRun run(2,
                          "train --model nano --global-batch 4 --steps 3 --precision fp16 "
                          "--bucket-size 8K --freeze final_norm,blocks.1.mlp "
                          "--inject-overflow 2:1");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    EXPECT_NE(run.output().find("     2 gradient out of range: rank 1: "
                                "blocks.1.attention.projection.weight[0] is inf; step skipped, "
                                "loss scale was 65536\n"),
              std::string::npos)
        << run.output();
}

// 8 bytes of every token that is looked up, and 216: two times four sums of losses, 64 bytes of
// their totals, 32 of a sum of squares, 24 of what is not finite, 24 of the
// factors of the update, and 8 of what exact sums lost.
TEST(TrainRecord, SaysWhatBookkeepingTakes) {
    const auto bookkeeping = [](int sequence) {
        const RecordedRun run(2, fmt::format("train --model nano --global-batch 2 --steps 1 "
                                             "--sequence {}",
                                             sequence));
        EXPECT_EQ(run.code(), 0) << run.errors() << run.output();
        const Rows memory(run.record(), "memory");
        for (std::size_t row = 0; row < memory.count(); ++row) {
            if (memory.text(row, "class") != "bookkeeping") continue;
            const double measured = memory.number(row, "measured_bytes");
            EXPECT_EQ(memory.number(row, "formula_bytes"), measured);
            EXPECT_EQ(memory.number(row, "fp32_formula_bytes"), measured);
            return measured;
        }
        ADD_FAILURE() << "no such class";
        return 0.0;
    };
    EXPECT_EQ(bookkeeping(32), 8.0 * 32 + 216.0);
    EXPECT_EQ(bookkeeping(48), 8.0 * 48 + 216.0);
}

double total_of(const std::vector<double>& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), 0.0);
}

// What FP32 really takes, from its own run, not from the formula that was printed.
TEST(TrainRecord, SaysWhatAPrecisionSavesAndWhere) {
    const std::string arguments = "train --model tiny --global-batch 2 --sequence 32 --steps 1";
    const RecordedRun fp32(1, arguments), bf16(1, arguments + " --precision bf16");
    ASSERT_EQ(bf16.code(), 0) << bf16.errors() << bf16.output();
    const double full = total_of(column(fp32.record(), "memory", "measured_bytes"));
    const double narrow = total_of(column(bf16.record(), "memory", "measured_bytes"));
    EXPECT_NEAR(total_of(column(bf16.record(), "memory", "fp32_formula_bytes")), full, 0.02 * full);
    const char* direction = narrow < full ? "less" : "more";
    EXPECT_NEAR(bf16.printed("memory, bf16"), 100.0 * std::abs(narrow / full - 1.0), 0.2)
        << bf16.output();
    EXPECT_NE(bf16.output().find(fmt::format(" % {} than FP32: weights -", direction)),
              std::string::npos)
        << bf16.output();
    EXPECT_NE(bf16.output().find("master_weights +"), std::string::npos);
    EXPECT_EQ(fp32.output().find("than FP32"), std::string::npos);
}

/// What `shardstone export` and `train --export` write.
class Tensors {
  public:
    explicit Tensors(const std::filesystem::path& folder)
        : about_(json::parse(results::read_file(folder / "tensors.json"))),
          bytes_(results::read_file(folder / "tensors.bin")) {}

    const json& about() const { return about_; }
    const std::string& bytes() const { return bytes_; }
    std::vector<double> values(const std::string& name) const {
        for (const json& tensor : about_.at("tensors")) {
            if (tensor.at("name") != name) continue;
            EXPECT_EQ(tensor.at("type"), "f8");
            std::size_t count = 1;
            for (const std::size_t size : tensor.at("shape")) count *= size;
            std::vector<double> numbers(count);
            std::memcpy(numbers.data(), bytes_.data() + tensor.at("first").get<std::size_t>(),
                        count * sizeof(double));
            return numbers;
        }
        ADD_FAILURE() << "no tensor " << name;
        return {};
    }

  private:
    json about_;
    std::string bytes_;
};

// After one step AdamW is: m = (1 - beta1) g, v = (1 - beta2) g^2, both divided by the same again,
// g clipped to a global norm of 1; w = w0 - lr (g / (|g| + eps) + decay w0) for matrices.
TEST(TrainExport, IsTheStateAfterTheLastStep) {
    const TemporaryFolder folder;
    const std::string trained = (folder / "trained").string(), fresh = (folder / "fresh").string();
    const RecordedRun run(2,
                          "train --model nano --plan dp=2,zero=1 --global-batch 4 --steps 1 "
                          "--warmup 0 --lr 2e-3 --lr-shape constant --weight-decay 0.3 --seed 5 "
                          "--precision fp64 --export " +
                              trained);
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    ASSERT_EQ(run_shell(shardstone_binary() + " export --model nano --seed 5 --fp64 --out " + fresh,
                        folder)
                  .code,
              0);
    const Tensors after(folder / "trained"), before(folder / "fresh");
    EXPECT_EQ(after.about().at("steps"), 1);
    EXPECT_EQ(after.about().at("losses").at(0), single(run.record(), "summary", "final_loss"));
    EXPECT_EQ(after.about().at("data"), run.record().configuration.at("data"));
    const double clip = std::min(1.0, 1.0 / column(run.record(), "steps", "gradient_norm").at(0));
    EXPECT_LT(clip, 1.0) << "clipping is to be seen";
    double square = 0.0;
    for (const json& tensor : after.about().at("tensors")) {
        const std::string name = tensor.at("name");
        if (!name.starts_with("weight/")) continue;
        const std::string what = name.substr(7);
        const bool decays = tensor.at("shape").size() == 2;
        const auto w = after.values(name), w0 = before.values(name);
        const auto g = after.values("gradient/" + what), m = after.values("first_moment/" + what),
                   v = after.values("second_moment/" + what);
        double worst = 0.0;
        for (std::size_t i = 0; i < w.size(); ++i) {
            const double step = clip * g[i];
            square += g[i] * g[i];
            const double update = step / (std::abs(step) + 1e-8) + (decays ? 0.3 * w0[i] : 0.0);
            worst =
                std::max({worst, std::abs(m[i] - 0.1 * step), std::abs(v[i] - 0.05 * step * step),
                          1e-3 * std::abs(w[i] - (w0[i] - 2e-3 * update))});
        }
        EXPECT_LT(worst, 1e-12) << what;
    }
    EXPECT_NEAR(std::sqrt(square), 1.0 / clip, 1e-9);
}

TEST(TrainExport, DoesNotDependOnTheLayout) {
    const TemporaryFolder folder;
    const auto exported = [&](int ranks, const std::string& plan) {
        const auto where = folder / plan;
        const RecordedRun run(ranks,
                              "train --model nano --reproducible --global-batch 4 --steps 3 "
                              "--plan " +
                                  plan + " --export " + where.string());
        EXPECT_EQ(run.code(), 0) << run.errors() << run.output();
        return Tensors(where);
    };
    const Tensors one = exported(1, "dp=1"), four = exported(4, "dp=2,pp=2,zero=3");
    EXPECT_EQ(one.about(), four.about());
    EXPECT_EQ(one.bytes(), four.bytes());
    EXPECT_EQ(one.about().at("losses").size(), 3U);
}

TEST(TrainRecord, NamesTheRateGivenAndWhatTheBatchMakesOfIt) {
    const RecordedRun run(1,
                          "train --model nano --global-batch 8 --steps 2 --warmup 0 --lr 1e-3 "
                          "--lr-shape constant --scale-rate linear --base-batch 4");
    ASSERT_EQ(run.code(), 0) << run.errors() << run.output();
    const auto record = run.record();
    EXPECT_EQ(record.configuration.at("learning_rate"), 1e-3);
    EXPECT_EQ(record.configuration.at("peak_rate"), 2e-3);
    EXPECT_EQ(column(record, "steps", "learning_rate").front(), 2e-3);
}

}  // namespace
}  // namespace shardstone::validation
