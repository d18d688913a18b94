#!/usr/bin/env python3
"""Completions for bash, zsh and fish, from what the programs say of their options.

usage: completions.py OUTPUT_DIR PROGRAM...     writes bash/NAME, zsh/_NAME and fish/NAME.fish for each
"""
import json
import os
import subprocess
import sys

DIRECTORY = {"DIR"}
FILE = {"FILE", "PATCH"}  # any other value without choices is a number, which nothing can guess


def fish_quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def bash(program, options):
    names = " ".join(name for option in options for name in option["names"])
    cases = []
    for option in options:
        if "value" not in option:
            continue
        pattern = "|".join(option["names"])
        if option.get("choices"):
            words = " ".join(option["choices"])
            cases.append(f"    {pattern}) mapfile -t COMPREPLY < <(compgen -W '{words}' -- \"$word\"); return ;;")
        elif option["value"] in DIRECTORY:
            cases.append(f"    {pattern}) compopt -o filenames; "
                         "mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); return ;;")
        elif option["value"] not in FILE:
            cases.append(f"    {pattern}) return ;;")
    body = "\n".join(cases)
    return f"""# bash completion of {program}; generated from its options
_{program}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  COMPREPLY=()
  # bash takes --option=value for three words
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  case $before in
{body}
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{names}' -- "$word")
    return
  fi
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}}
complete -F _{program} {program}
"""


def zsh_text(text):
    for special in "\\[]:":
        text = text.replace(special, "\\" + special)
    return text.replace("'", "'\\''")


def zsh_value(option):
    if "value" not in option:
        return ""
    if option.get("choices"):
        return f":{option['value']}:({' '.join(option['choices'])})"
    action = "_files -/" if option["value"] in DIRECTORY else "_files" if option["value"] in FILE else " "
    return f":{option['value']}:{action}"


def zsh(program, options, arguments):
    specs = []
    for option in options:
        text = f"[{zsh_text(option['text'])}]" if option["text"] else ""
        others = f"({' '.join(option['names'])})" if len(option["names"]) > 1 else ""
        for name in option["names"]:
            joined = name + ("=" if "value" in option and name.startswith("--") else "")
            specs.append(f"  '{others}{joined}{text}{zsh_value(option)}'")
    for place, argument in enumerate(arguments, 1):
        specs.append(f"  '{place}:{argument['name']}:_files'")
    head = f"#compdef {program}\n# generated from the options of {program}\n_arguments -s \\\n"
    return head + " \\\n".join(specs) + "\n"


def fish(program, options):
    lines = [f"# fish completion of {program}; generated from its options"]
    for option in options:
        words = [f"complete -c {program}"]
        words += [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"]]
        if option.get("choices"):
            words.append(f"-x -a {fish_quoted(' '.join(option['choices']))}")
        elif "value" in option:
            kind = option["value"]
            words.append("-x -a '(__fish_complete_directories)'" if kind in DIRECTORY else
                         "-r -F" if kind in FILE else "-x")
        if option["text"]:
            words.append(f"-d {fish_quoted(option['text'])}")
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def write(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    output, programs = sys.argv[1], sys.argv[2:]
    for path in programs:
        told = json.loads(subprocess.run([path, "--describe-options"], check=True, capture_output=True).stdout)
        name, options = told["program"], told["options"]
        write(os.path.join(output, "bash"), name, bash(name, options))
        write(os.path.join(output, "zsh"), "_" + name, zsh(name, options, told["arguments"]))
        write(os.path.join(output, "fish"), name + ".fish", fish(name, options))


if __name__ == "__main__":
    main()
