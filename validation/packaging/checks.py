# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this folder share: SCRIPT BEHAVIOUR SHARDSTONE BUILD SOURCE runs one of them."""
import pathlib
import subprocess
import sys


def expect(condition, what):
    if not condition:
        sys.exit(f"expected: {what}")


def output_of(*words, **settings):
    """What a command prints; it must end well."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                          check=False, **settings)
    expect(done.returncode == 0, f"'{' '.join(map(str, words))}' ends with 0, not "
                                 f"{done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def skip(why):
    """Ends the test as not run; 77 is its SKIP_RETURN_CODE."""
    print(f"skipped: {why}")
    sys.exit(77)


def main(behaviours):
    behaviour, program, build, source = sys.argv[1:]
    behaviours[behaviour](pathlib.Path(program), pathlib.Path(build), pathlib.Path(source))
