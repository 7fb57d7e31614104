"""Where the house looks for the toy."""

from tests.batch.toy import Toy as Toy
