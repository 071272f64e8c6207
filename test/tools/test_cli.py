"""The `acres` command: verbs, help, exit codes, and what `run` and `shell` hand on."""

from __future__ import annotations

import argparse
import importlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from acres_ros.cli import main as cli
from acres_ros.cli import shell
from acres_ros.errors import AcresError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return an empty module that takes the place of the verb `step`."""
    module = ModuleType("acres_ros.cli.step")
    module.HELP = "a verb of the test"
    module.add_arguments = lambda parser: parser.add_argument("--count", type=int, default=1)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.mark.parametrize("name", cli.VERBS)
def test_every_verb_keeps_the_contract(name: str) -> None:
    module = importlib.import_module(f"acres_ros.cli.{name}")
    assert cli.help_of(name) == module.HELP
    assert list(inspect.signature(module.run).parameters) == ["arguments"]
    module.add_arguments(argparse.ArgumentParser())


def test_the_overview_names_verbs_and_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    for name in cli.VERBS:
        assert f"\n  {name} " in text
    for code in (0, 1, 2, 3, 4, 130):
        assert f"\n  {code} " in text
    assert cli.main([]) == 2


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Give a parser and those of all its parts."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from parsers(part)


@pytest.mark.parametrize("name", cli.VERBS)
def test_every_help_tells_exit_codes_and_no_default_twice(name: str) -> None:
    for parser in parsers(cli.parser_of(name, importlib.import_module(f"acres_ros.cli.{name}"))):
        assert "exit code" in parser.format_help()
        for action in parser._actions:
            text = parser._get_formatter()._get_help_string(action) or ""
            assert text.count("(default:") <= 1, text
            assert "(default: None)" not in text and "(default: [])" not in text


def test_defaults_and_codes_are_told_in_every_part_of_a_verb(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["drive", "kilometre", "--help"], ["bench", "--help"]):
        with pytest.raises(SystemExit):
            cli.main(words)
    text = " ".join(capsys.readouterr().out.split())
    assert "length of the lap, m, 400 or more (default: 1000.0)" in text
    assert "path and speeds (default: output/kilometre.png)" in text
    for code, meaning in cli.EXIT_MEANING.items():
        assert text.count(f"{code.value} {meaning}") == 2


def test_the_overview_needs_no_package() -> None:
    """Before anything is installed, the help is shown with Python's own library alone."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"]
    command[-1] += "from acres_ros.cli.main import main; sys.exit(main(['--help']))"
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "exit codes:" in result.stdout


def test_help_of_a_verb_is_that_of_the_verb(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["help", "up"], ["help", "fly"]):
        with pytest.raises(SystemExit) as caught:
            cli.main(words)
        assert caught.value.code == (0 if words[1] == "up" else 2)
    said = capsys.readouterr()
    assert said.out.startswith("usage: ./acres up") and "no verb 'fly'" in said.err
    assert cli.main(["help"]) == 0
    assert capsys.readouterr().out == cli.overview()


@pytest.mark.parametrize("name", cli.VERBS)
def test_a_command_line_is_read_without_a_package(name: str) -> None:
    """The launcher refuses a wrong one before it prepares anything."""
    command = [sys.executable, "-I", "-S", str(ROOT / "acres_ros/_program.py"), "acres_ros.cli._words", name, "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_an_unknown_verb_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["fly"])
    assert caught.value.code == 2
    assert "no verb 'fly'; there are up, drive" in capsys.readouterr().err


def test_the_result_of_a_verb_is_the_exit_code(verb: ModuleType) -> None:
    verb.run = lambda arguments: arguments.count
    assert cli.main(["step", "--count", "5"]) == 5


def test_wrong_arguments_are_a_usage_error(verb: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["step", "--count", "many"])
    assert caught.value.code == 2
    assert "usage: ./acres step" in capsys.readouterr().err


def test_an_error_of_ours_is_one_line_and_a_failure(verb: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(arguments: argparse.Namespace) -> int:
        raise AcresError("the wheel is square; round it")

    verb.run = fail
    assert cli.main(["step"]) == 1
    assert capsys.readouterr().err == "acres: the wheel is square; round it\n"


def test_an_interrupt_has_its_own_code(verb: ModuleType) -> None:
    def interrupt(arguments: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    verb.run = interrupt
    assert cli.main(["step"]) == 130


def acres(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "acres_ros.cli", *words],
        cwd=ROOT,
        env=dict(os.environ) | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_run_hands_on_words_code_and_fence() -> None:
    code = (
        "import os, sys; e = os.environ; print(sys.argv[1:], e['ROS_DOMAIN_ID'], e['RMW_IMPLEMENTATION']); sys.exit(7)"
    )
    result = acres("run", sys.executable, "-c", code, "--help", "-x", ACRES_DOMAIN_ID="63", ROS_DOMAIN_ID="5")
    assert result.returncode == 7
    assert result.stdout == "['--help', '-x'] 63 rmw_fastrtps_cpp\n"


def test_a_reader_that_has_seen_enough_gets_no_traceback() -> None:
    code = "from acres_ros.cli.main import main; import sys; sys.exit(main(['setup']))"
    command = f'"{sys.executable}" -c "{code}" | true; echo "${{PIPESTATUS[0]}}"'
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (result.stdout, result.stderr) == ("1\n", "")


def test_run_without_a_program() -> None:
    assert acres("run").returncode == 2
    missing = acres("run", "no-such-program")
    assert missing.returncode == 2
    assert "there is no program 'no-such-program' on PATH" in missing.stderr
    assert "usage: ./acres run CMD" in acres("run", "--help").stdout


def test_run_says_how_a_file_of_python_is_run(tmp_path: Path) -> None:
    (script := tmp_path / "stack.py").write_text("print('there')\n")
    for mode, why in ((0o644, "is no program that can be run"), (0o755, "cannot be run (Exec format error)")):
        script.chmod(mode)
        result = acres("run", str(script))
        hint = f"a file of Python is run by ./acres run python3 {script}"
        assert (result.returncode, result.stderr) == (2, f"acres: '{script}' {why}; {hint}\n")


def test_the_shell_sets_again_what_the_start_files_of_the_user_undo() -> None:
    before = {"HOME": "/home/x", "ROS_LOCALHOST_ONLY": "1", "PATH": "/bin", "ROS_DOMAIN_ID": "0"}
    inside = {"HOME": "/home/x", "PATH": "/venv/bin:/bin", "ROS_DOMAIN_ID": "77", "CYCLONEDDS_URI": "<a b='c'/>"}
    lines = shell.bash_start_file(inside, before).splitlines()
    assert lines[0].endswith('. "$HOME/.bashrc"')
    assert "export ROS_DOMAIN_ID=77" in lines and "unset ROS_LOCALHOST_ONLY" in lines
    assert "export PATH=/venv/bin:/bin" in lines
    assert not any("HOME=" in line for line in lines[1:])
    script = "\n".join(lines[1:]) + '\nprintf %s "$CYCLONEDDS_URI"'
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout == "<a b='c'/>"


def test_the_shell_runs_inside_the_fence(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("export ROS_DOMAIN_ID=0\n")
    result = subprocess.run(
        [sys.executable, "-m", "acres_ros.cli", "shell"],
        cwd=ROOT,
        env=dict(os.environ) | {"HOME": str(tmp_path), "SHELL": "/bin/bash", "ACRES_DOMAIN_ID": "63"},
        input="echo domain is $ROS_DOMAIN_ID; exit 3\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 3
    assert "domain is 63" in result.stdout
