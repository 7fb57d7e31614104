"""Nets fitted to the variants of a run: the same bytes however it is done, kept by digest, used only if they gain."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import mmsim as python
from mmsim.analysis.tables import open_run
from mmsim.batch.check import CheckProgress, check
from mmsim.batch.experiment import Experiment, from_mapping
from mmsim.batch.manifest import RetrainedNets
from mmsim.batch.run import Run
from mmsim.batch.run_folder import remove_run
from mmsim.batch.session import Session
from mmsim.contests import retraining
from mmsim.contests.retraining import gain_text, retrain
from mmsim.errors import MmsimError, UsageError
from tests.cli.runner import run as mmsim
from tests.runs import change_manifest

RULES = ["print", "print,last_round=round"]


def experiment(**changes: Any) -> Experiment:
    small = {"variants": RULES, "players": 2, "levels": "expert", "games": 60, "retrain": True, "retrain_games": 400}
    return from_mapping({"name": "small", "part_games": 30, **small, **changes})


def judged(share: float = 0.3, half_width: float = 0.01) -> RetrainedNets:
    return RetrainedNets("nets/0123456789ab.json", 1, "0" * 64, "expert", 4, 4000, share, half_width)


@pytest.fixture(scope="module")
def gained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose nets count as better, whatever the few games say, fitted by one worker and played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RetrainedNets, "gained", property(lambda nets: True))
        run = Run.create(tmp_path_factory.mktemp("gained") / "run", experiment())
        retrain(run, 1)
        Session(run, 1).carry_out()
    return run.folder


@pytest.fixture
def folder(gained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it in another place, to spoil."""
    monkeypatch.setattr(RetrainedNets, "gained", property(lambda nets: True))
    return Path(shutil.copytree(gained, tmp_path / "moved"))


def test_a_stopped_retraining_is_resumed_with_the_same_result_by_any_number_of_workers(
    gained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RetrainedNets, "gained", property(lambda nets: True))
    run, fit = Run.create(tmp_path / "stopped", experiment()), retraining._fit

    def stop(settings: Any, name: str, *rest: Any) -> Any:
        if "last_round" in name:
            raise KeyboardInterrupt
        return fit(settings, name, *rest)

    monkeypatch.setattr(retraining, "_fit", stop)
    with pytest.raises(KeyboardInterrupt):
        retrain(run, 2)
    monkeypatch.setattr(retraining, "_fit", fit)
    assert len(Run(run.folder).manifest.nets) == 1
    with pytest.raises(MmsimError, match="are not fitted yet; continue: mmsim resume"):
        Session(Run(run.folder), 1).carry_out()
    resumed = mmsim("resume", run.folder, "--workers", 2)
    assert resumed.exit_code == 0, resumed.stderr
    assert "fitting nets to print-2p" not in resumed.stderr
    assert "fitting nets to print,last_round=round-2p: 400 games" in resumed.stderr
    one, two = Run(gained), Run(run.folder)
    assert one.manifest.nets == two.manifest.nets
    for nets in one.manifest.nets:
        assert (gained / nets.file).read_bytes() == (run.folder / nets.file).read_bytes()
    assert one.finished.digest == two.finished.digest


def test_retrained_levels_play_the_same_deals_with_nets_that_are_known_by_their_digest(folder: Path) -> None:
    run = Run(folder)
    assert [level.name for level in run.experiment.levels] == ["expert", "expert (retrained)"]
    digests = [Path(nets.file).stem for nets in run.manifest.nets]
    assert len({*digests}) == 2
    about = run.manifest.variants
    assert [variant.bots[0]["bot"] for variant in about[:2]] == ["expert", "expert"]
    assert [variant.bots[0]["bot"] for variant in about[2:]] == [f"expert:weights={digest}.json" for digest in digests]
    assert [variant.bots[0]["net"] for variant in about[2:]] == digests
    assert len({variant.seed for variant in about}) == 1
    assert list(check(run, 8, CheckProgress())) == []
    seated = {bot for (bot,) in run.seats.select("bot").unique().collect().iter_rows()}
    assert seated == {"expert", *(f"expert:weights={digest}.json" for digest in digests)}
    retrained, shipped = open_run(folder), open_run(folder, shipped=True)
    assert [level.level.name for level in retrained.by_level] == ["expert (retrained)"]
    assert [level.level.name for level in shipped.by_level] == ["expert"]
    assert [variant.name for variant in retrained.variants] == [variant.name for variant in shipped.variants]
    assert retrained.variants[0].name == "print-2p"
    assert int(retrained.game_counts["games"].sum()) == int(shipped.game_counts["games"].sum()) == 120
    assert {kept.variant.partition("~")[2] for kept in run.finished.records} == {"expert (retrained)"}


def test_python_asks_twice_and_plays_once(folder: Path) -> None:
    before = Run(folder).finished
    assert python.run(experiment(), folder, workers=1).finished == before
    with pytest.raises(UsageError, match="holds a run of another experiment"):
        python.run(experiment(seed=99), folder, workers=1)


def test_damaged_nets_are_reported_and_fitted_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / Run(folder).manifest.nets[1].file
    content = file.read_bytes()
    file.write_bytes(content.replace(b"1", b"2", 1))
    says = f"{file} does not match its checksum in the manifest"
    assert says in list(check(Run(folder), 0, CheckProgress()))
    with pytest.raises(MmsimError, match="fit it again: mmsim resume"):
        Run(folder).prepared  # noqa: B018
    file.unlink()
    assert f"{file} is missing" in list(check(Run(folder), 0, CheckProgress()))
    retrain(Run(folder), 1)
    assert file.read_bytes() == content
    file.unlink()
    monkeypatch.setattr(retraining, "_DECAY", 0.5)
    with pytest.raises(MmsimError, match="gives other nets on this machine; start a new run"):
        retrain(Run(folder), 1)


def test_nets_of_a_stranger_are_data_that_is_checked(folder: Path) -> None:
    nets = Run(folder).manifest.nets
    change_manifest(folder, nets=[{"file": "../evil.json"}])
    with pytest.raises(MmsimError, match="is damaged"):
        Run(folder)
    as_json = [{name: getattr(entry, name) for name in entry.__struct_fields__} for entry in (*nets, nets[0])]
    change_manifest(folder, nets=as_json)
    with pytest.raises(MmsimError, match="neural nets that are not of its variants"):
        Run(folder)


def test_a_run_is_deleted_with_its_nets(folder: Path) -> None:
    assert remove_run(folder, Run(folder).table_names) == []
    assert not folder.exists()


def test_the_comparison_and_the_report_say_what_was_gained_and_which_verdicts_change(
    folder: Path, tmp_path: Path, empty_charts: None
) -> None:
    shown = mmsim("compare", folder, "--json")
    assert shown.exit_code == 0, shown.stderr
    lines = json.loads(shown.stdout)["retraining"]
    assert sum("one retrained expert wins" in line for line in lines) == 2
    assert any(line.startswith(("Verdict on", "No verdict changes")) for line in lines)
    assert mmsim("report", folder, "--out", tmp_path / "report").exit_code == 0
    page = (tmp_path / "report" / "report.html").read_text()
    assert 'id="retrained"' in page
    assert "one retrained expert wins" in page
    toml = (tmp_path / "report" / "experiment.toml").read_text()
    again = from_mapping(tomllib.loads(toml))
    assert again.retrain
    assert again.retrain_games == 400


def test_without_a_gain_the_shipped_nets_play_and_nothing_is_played_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RetrainedNets, "gained", property(lambda nets: False))
    words = ("--players", 2, "--levels", "expert", "--games", 60, "--retrain", "--retrain-games", 400, "--workers", 1)
    shown = mmsim("compare", *RULES, *words, "--out", tmp_path / "run")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.count("no gain: one retrained expert wins") == 2
    assert "Verdict" not in shown.stdout
    run = Run(tmp_path / "run")
    assert [level.name for level in run.experiment.levels] == ["expert"]
    assert len(run.manifest.nets) == 2
    assert mmsim("resume", tmp_path / "run").exit_code == 0


def test_a_gain_is_a_whole_interval_above_an_equal_share() -> None:
    assert judged(0.3, 0.01).gained
    assert not judged(0.255, 0.01).gained
    assert gain_text(judged(0.3, 0.01)) == (
        "one retrained expert wins 30.0 % ± 1.0 % of 4,000 held-out games against 3 shipped ones (25 % would be equal)"
    )
    assert gain_text(judged(0.255, 0.01)).startswith("no gain: one retrained expert wins 25.5 % ± 1.0 %")
    assert gain_text(judged(0.255, 0.01)).endswith("so the shipped nets are kept")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"levels": "beginner..club"}, "there is nothing to retrain: beginner, casual, club play without neural nets"),
        ({"levels": [], "bots": "expert"}, "name levels instead of the bots of one table"),
        ({"retrain": False}, "retrain_games needs retrain = true"),
        ({"retrain_games": 7}, "retrain_games = 7 is too small"),
        ({"retrain": "yes"}, "retrain"),
    ],
)
def test_what_cannot_be_retrained_is_refused_in_a_sentence(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Run.create(tmp_path / "run", experiment(**changes))


def test_a_folder_that_bots_cannot_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its name has a comma, a colon or an equals sign"):
        Run.create(tmp_path / "a=b", experiment())
