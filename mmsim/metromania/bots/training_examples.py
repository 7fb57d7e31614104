"""Which decisions a net is trained on."""

from mmsim.core.training_examples import Lessons
from mmsim.metromania.bots.expert import EXPERT
from mmsim.metromania.bots.thinking.training_examples import LESSON

# as many turns of a decision as expert compares
LESSONS = Lessons(every=3, most=int(EXPERT.settings["candidates"]), kind=LESSON, rows=1 << 12)
