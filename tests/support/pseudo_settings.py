"""The settings of a command that speaks the pseudo-language, whose texts are in the folder of PSEUDO_LOCALE."""

import os
from pathlib import Path

from gisc.settings import *  # noqa: F403
from tests.support.pseudo_language import LANGUAGE

GISC_LANGUAGE = LANGUAGE
LOCALE_PATHS = [Path(os.environ["PSEUDO_LOCALE"])]
