"""What the half of the library that applies may call. usage: symbols_test.py NM LIBRARY

Its undefined symbols are read: it ends no process, runs no program, looks at no environment, prints nothing, installs
no signal handler, opens no connection, and holds nothing that only making patches needs."""
import re
import subprocess
import sys

FORBIDDEN = re.compile(r"""^(
    _?exit|_Exit|quick_exit|abort|err|errx|warn|warnx|__assert_fail|raise|kill
  | system|popen|fork|vfork|clone|exec[vlpe]+|posix_spawnp?
  | getenv|secure_getenv|environ|setenv|putenv|setlocale
  | (__)?v?[fd]?printf(_chk)?|puts|fputs|putchar|perror|std::(cout|cerr|clog|cin)
  | signal|sigaction|setjmp|longjmp|dlopen|socket|connect|rand|srand|umask|chdir
  | ZSTD_(compress|CCtx|createCCtx).*|lzma_.*encoder.*
)(@.*)?$""", re.VERBOSE)
FOREIGN = re.compile(r"^bdelta::(create|create_file|Matcher|ParseGraph)\b")

# The directory for what does not fit into memory when a patch is made; nothing that applies uses that object.
ENVIRONMENT = re.compile(r"temp_directory_path|current_path")
MAY_LOOK = {"spool.cpp.o"}


def symbols(nm, library):
    """(object, kind, name) for each symbol."""
    listing = subprocess.run([nm, "-C", library], capture_output=True, text=True, check=True).stdout
    member = ""
    for line in listing.splitlines():
        if line.endswith(":") and " " not in line:
            member = line[:-1]
            continue
        parts = re.match(r"[0-9a-f ]{16} (\S) (.*)$", line)
        if parts:
            yield member, parts[1], parts[2]


def faults(found):
    for member, kind, name in found:
        if kind in "Uw" and FORBIDDEN.match(name):
            yield f"{member} calls {name}"
        if kind in "Uw" and ENVIRONMENT.search(name) and member not in MAY_LOOK:
            yield f"{member} looks at the environment: {name}"
        if FOREIGN.match(name):
            yield f"{member} has {name}"


def main(nm, library):
    found = list(symbols(nm, library))
    if not any(kind == "T" and name.startswith("bdelta::apply_file(") for _, kind, name in found):
        sys.exit("this is not the library that applies")
    for name in ("exit", "abort", "system", "getenv", "execve", "fprintf", "std::cerr", "ZSTD_compress2",
                 "lzma_raw_encoder"):
        if not list(faults([("x.o", "U", name)])):
            sys.exit(f"this test would not notice {name}")
    wrong = list(faults(found))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
