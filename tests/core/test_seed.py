"""The seed of a game: which games share a deal, and that every bot draws from a stream of its own."""

from mmsim.core.rng import Purpose, Stream
from mmsim.core.seed import Seed


def draws(stream: Stream) -> list[int]:
    return [stream.below(1000) for _ in range(5)]


def test_rotated_games_share_a_deal_until_every_player_has_sat_everywhere() -> None:
    deals = [draws(Seed(7, game, rotate=True).deal_stream(Purpose.DEAL, players=3)) for game in range(6)]
    assert deals[0] == deals[1] == deals[2] != deals[3]
    assert deals[3] == deals[4] == deals[5]


def test_without_rotation_every_game_has_its_own_deal() -> None:
    first, second = (draws(Seed(7, game).deal_stream(Purpose.DEAL, players=3)) for game in range(2))
    assert first != second


def test_bots_of_games_that_share_a_deal_draw_differently() -> None:
    streams = [Seed(7, game, rotate=True).bot_draws(seat) for game in range(2) for seat in range(3)]
    assert len({tuple(draws(stream)) for stream in streams}) == len(streams)
