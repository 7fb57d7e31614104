"""Fit the neural nets of a game's bots to every variant of a run, from the shipped nets on.

A variant is done when the manifest lists its nets: a retraining that was stopped goes on with the first variant that is
not. Whether nets have gained is decided by a rule that is fixed in advance, `RetrainedNets.gained`, on held-out games.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from mmsim import __version__
from mmsim.batch.experiment import DECISIONS_EVERY, HELD_OUT_EVERY, OF_LEVEL
from mmsim.batch.manifest import NETS, RetrainedNets
from mmsim.batch.retrained_nets import flaws_of_nets, variants_to_retrain, write_nets
from mmsim.batch.run import Run
from mmsim.batch.session import Watch
from mmsim.contests.fitting import Fit
from mmsim.contests.matches import HeldOutResult, MatchRunner
from mmsim.contests.training import OnEpoch, TrainingSettings, collect_positions, net_bot, train_choice
from mmsim.contests.value_fitting import fit_values
from mmsim.core.neural_net import BotNets, read_nets
from mmsim.core.variant import Variant
from mmsim.games import find_shell
from mmsim.system.files import read_bytes
from mmsim.system.temporary import temporary_folder

_VALUE_EPOCHS, _EPOCHS, _DECAY = 2, 6, 3e-4


def retrain(
    run: Run, workers: int, watch: Watch = lambda status: None, say: Callable[[str], None] = lambda text: None
) -> None:
    """Fit nets to every variant of a run that has none yet or damaged ones, and judge them on held-out games."""
    damaged = [nets.file for nets, _ in flaws_of_nets(run.folder, run.manifest.nets)]
    done = [nets.file not in damaged for nets in run.manifest.nets]
    variants = variants_to_retrain(run.experiment)
    missing = [place for place in range(len(variants)) if not (place < len(done) and done[place])]
    if not missing:
        return
    with run.writing(), MatchRunner(run.experiment.game, workers, watch) as runner, temporary_folder() as folder:
        for place in missing:
            settings = _settings(run, variants[place])
            name, file = run.variant_names[place].partition(OF_LEVEL)[0], folder / f"{place}.json"
            say(f"fitting nets to {name}: {settings.games:,} games, {settings.final_games:,} more to judge them")
            result = _fit(settings, name, runner, file, say)
            content, bot = read_bytes(file), settings.bot
            digest = read_nets(file, bot.inputs, bot.value_inputs).digest  # of the nets with the digits that a file has
            nets = RetrainedNets(
                file=f"{NETS}/{digest}.json",
                bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                bot=bot.name,
                players=result.players,
                games=result.games,
                share=result.share,
                half_width=result.half_width,
            )
            if write_nets(run.folder, run.manifest.nets, place, nets, content):
                run.keep_nets([*run.manifest.nets, nets], place == len(variants) - 1)
            say(f"{name}: {gain_text(nets)}")


def gain_text(nets: RetrainedNets) -> str:
    """What the nets of a variant have gained."""
    others = "the shipped one" if nets.players == 2 else f"{nets.players - 1} shipped ones"
    text = (
        f"one retrained {nets.bot} wins {100 * nets.share:.1f} % ± {100 * nets.half_width:.1f} % of {nets.games:,} "
        f"held-out games against {others} ({100 / nets.players:.3g} % would be equal)"
    )
    return text if nets.gained else f"no gain: {text}, so the shipped nets are kept"


def _settings(run: Run, variant: Variant) -> TrainingSettings:
    """What is played to fit nets to a variant; never the deals that the run plays."""
    experiment, bot = run.experiment, net_bot(find_shell(run.experiment.game))
    games = experiment.retrain_games or 0
    return TrainingSettings(
        game=experiment.game,
        rules=(variant.rules,),
        players=(variant.players,),
        boards=(variant.board,),
        seed=int.from_bytes(hashlib.sha256(f"retrain/{experiment.seed}".encode()).digest()[:7], "little"),
        games=games,
        value_epochs=_VALUE_EPOCHS,
        decision_games=games // DECISIONS_EVERY,
        epochs=_EPOCHS,
        decay=_DECAY,
        final_games=games // HELD_OUT_EVERY,
        against=(bot.name,),
    )


def _fit(
    settings: TrainingSettings, name: str, runner: MatchRunner, file: Path, say: Callable[[str], None]
) -> HeldOutResult:
    """Fit the value net that the variant's board needs, then the net that compares moves; both are written to a file.

    While decisions are collected the bot already goes by the new value net.
    """

    def on_epoch(net: str, point: Fit) -> None:
        say(f"{name}: {net} net, epoch {point.epoch} explains {point.explained:.2%} of what is held out")

    shipped = settings.bot.nets
    about = {"mmsim": __version__, "retrained_for": name, "from": shipped.digest, "seed": settings.seed}
    nets = _fit_value(settings, runner, replace(shipped, about={**about, "games": settings.games}), on_epoch)
    fitted = file.with_name("value.json")
    nets.write(fitted)
    learner = f"{settings.bot.name}:weights={fitted}"
    _, (result,) = train_choice(settings, runner, nets, learner, file, on_epoch, shipped.choice)
    return result


def _fit_value(settings: TrainingSettings, runner: MatchRunner, nets: BotNets, on_epoch: OnEpoch) -> BotNets:
    positions, mirrored = collect_positions(settings, runner)
    shipped = nets.value_for(len(mirrored))
    if shipped is None:
        return nets
    of_board = shipped.embedding is not None
    features = mirrored if of_board else np.zeros(0, np.int64)
    epochs, names = settings.value_epochs, settings.bot.value_inputs
    value, _ = fit_values(
        positions, names, features, settings.seed, epochs, lambda point: on_epoch("value", point), start=shipped
    )
    return replace(nets, board_value=value) if of_board else replace(nets, value=value)
