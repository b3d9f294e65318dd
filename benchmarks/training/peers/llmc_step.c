// SPDX-License-Identifier: BSD-3-Clause
// Times training steps of GPT-2 124M in llm.c's CPU trainer, whose source is given to the compiler
// and not part of this repository:
//   gcc -Ofast -march=native -mprefer-vector-width=512 -funroll-loops -fno-finite-math-only -DTESTING
//      -DLLMC='"/path/to/llm.c/train_gpt2.c"' -o llmc_step llmc_step.c -lm
// Prints tokens/s of every step after the first, which also allocates.
#include LLMC

int main(int argc, char** argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 1, batch = 4, sequence = 256;
    const int positions = batch * sequence;
    GPT2 model;
    memset(&model, 0, sizeof model);
    model.config = (GPT2Config){.max_seq_len = 1024,
                                .vocab_size = 50257,
                                .padded_vocab_size = 50304,
                                .num_layers = 12,
                                .num_heads = 12,
                                .channels = 768};
    fill_in_parameter_sizes(model.param_sizes, model.config);
    for (int i = 0; i < NUM_PARAMETER_TENSORS; ++i) model.num_parameters += model.param_sizes[i];
    model.params_memory = malloc_and_point_parameters(&model.params, model.param_sizes);
    unsigned long long state = 88172645463325252ULL;
#define NEXT() (state ^= state << 13, state ^= state >> 7, state ^= state << 17)
    for (size_t i = 0; i < model.num_parameters; ++i) {
        model.params_memory[i] = ((float)(NEXT() >> 40) / (1 << 24) - 0.5f) * 0.06f;
    }
    int* tokens = malloc(positions * sizeof(int));
    int* targets = malloc(positions * sizeof(int));
    for (int i = 0; i < positions; ++i) tokens[i] = (int)(NEXT() % 50257);
    for (int i = 0; i < positions; ++i) targets[i] = tokens[(i + 1) % positions];
    for (int step = 0; step <= steps; ++step) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        gpt2_forward(&model, tokens, targets, batch, sequence);
        gpt2_zero_grad(&model);
        gpt2_backward(&model);
        gpt2_update(&model, 1e-4f, 0.9f, 0.999f, 1e-8f, 0.1f, step + 1);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double took_s =
            (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
        if (step > 0) printf("%.2f tokens/s\n", positions / took_s);
        fflush(stdout);
    }
    return 0;
}
