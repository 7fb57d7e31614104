"""Which decisions a net is trained on."""

from mmsim.core.training_examples import Lessons
from mmsim.metro.bots.expert import EXPERT
from mmsim.metro.bots.thinking.training_examples import LESSON

# as many moves of a decision as expert compares
LESSONS = Lessons(every=2, most=int(EXPERT.settings["candidates"]), kind=LESSON, rows=1 << 11)
