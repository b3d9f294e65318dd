# SPDX-License-Identifier: BSD-3-Clause
"""The manual page and the completion hold all that --help shows. What --help shows is read from its
text, not from what the two are written from."""
import os
import re
import subprocess

from checks import expect, main, output_of, skip

# "  -b,--minbytes TEXT=4    Smallest size"
OPTION = re.compile(r"^  ((?:-{1,2}[\w-]+)(?:,-{1,2}[\w-]+)*)", re.MULTILINE)


def subcommands_in(help_text):
    _, found, below = help_text.partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z][\w-]*) ", below.partition("\n\n")[0], re.MULTILINE) if found else []


def commands_of(program, words=()):
    """(words, options, subcommands) of every command, the whole included."""
    text = output_of(program, *words, "--help")
    head = text.partition("\nSubcommands:\n")[0] or text
    options = [name for names in OPTION.findall(head) for name in names.split(",")]
    below = subcommands_in(text)
    yield words, options, below
    for name in below:
        yield from commands_of(program, (*words, name))


def all_commands(program):
    commands = list(commands_of(program))
    expect(len(commands) > 18, f"--help leads to all subcommands, not to {len(commands)}")
    expect(sum(len(options) for _, options, _ in commands) > 150, "--help shows the options")
    expect(any(words == ("data", "prepare") for words, _, _ in commands), "and those below 'data'")
    return commands


def manual_page_has_every_option(program, build, source):
    page = output_of(program, "man")
    expect(page.startswith(".TH SHARDSTONE 1 "), "the page begins with .TH")
    sections = {}
    for section in page.split("\n.SH ")[1:]:
        title, _, text = section.partition("\n")
        sections[title.replace("\\-", "-")] = text.replace("\\-", "-")
    for words, options, _ in all_commands(program):
        title = " ".join(words) or "DESCRIPTION"
        expect(title in sections, f"a section '{title}'")
        entries = " ".join(re.findall(r"^\.TP\n(.*)$", sections[title], re.MULTILINE))
        for option in options:
            expect(f"\\fB{option}\\fR" in entries, f"{option} in the section '{title}'")


def answer(script, words):
    """What bash would offer for the last of `words`."""
    asked = f"""source {script}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
read -ra registered <<<"$(complete -p shardstone)"
for ((i = 0; i < ${{#registered[@]}}; ++i)); do
    [ "${{registered[i]}}" = -F ] && "${{registered[i + 1]}}" shardstone "${{@: -1}}" "${{@: -2:1}}"
done
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return set(output_of("bash", "-c", asked, "bash", *words).split())


def completion_has_every_option(program, build, source):
    script = build / "completion_under_test"
    script.write_text(output_of(program, "completion", "bash"))
    for words, options, below in all_commands(program):
        offered = answer(script, ("shardstone", *words, "-"))
        expect(offered == set(options), f"{' '.join(words)} -TAB offers {sorted(options)}, not "
                                        f"{sorted(offered)}")
        offered = answer(script, ("shardstone", *words, ""))
        expect(offered == set(below), f"{' '.join(words)} TAB offers {below}, not {offered}")


def require_pseudo_terminal():
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as error:
        skip(f"no pseudo-terminal here, as in a chroot without /dev/pts: {error}")


def bash_completes(program, build, source):
    """An interactive bash, with TAB: also after options and their values, and files."""
    require_pseudo_terminal()
    script = build / "completion_under_test"
    script.write_text(output_of(program, "completion", "bash"))
    (build / "only_file_here.h5").write_text("")
    lines = {"shardstone simul\t": "simulate", "shardstone data prep\t": "prepare",
             "shardstone train --model nano --global-b\t": "--global-batch",
             "shardstone report only_fi\t": "only_file_here.h5"}
    for line, word in lines.items():
        # C-a and "echo" make the completed line words that are printed, not run.
        typed = f"source {script}\ncd {build}\n{line}\x01echo got: \n"
        done = subprocess.run(["script", "-qec", "bash --norc --noprofile -i", "/dev/null"],
                              input=typed, capture_output=True, text=True, check=False, timeout=60)
        got = re.findall(r"^got: (.*?)\s*$", done.stdout, re.MULTILINE)
        expect(len(got) == 1 and got[0].split()[-1] == word,
               f"'{line.strip()}' TAB gives '{word}', not {got}: {done.stdout}")


if __name__ == "__main__":
    main({function.__name__: function for function in (
        manual_page_has_every_option, completion_has_every_option, bash_completes)})
