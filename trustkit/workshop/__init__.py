"""The workshop: seven episodes of ninety minutes, what each begins with, and exercises that are checked at once."""

from trustkit.workshop.checking import Checking, check
from trustkit.workshop.episodes import EPISODES, Episode, episode_of
from trustkit.workshop.exercises import EXERCISES, Exercise
from trustkit.workshop.judging import Found, Page
from trustkit.workshop.preflight import Preflight, preflight, room_code
from trustkit.workshop.recording import recorded, write_recordings

__all__ = [
    "EPISODES", "EXERCISES", "Checking", "Episode", "Exercise", "Found", "Page", "Preflight", "check", "episode_of",
    "preflight", "recorded", "room_code", "write_recordings",
]  # fmt: skip
