"""Real federations by Flower: an experiment as a Flower app, and a fact sheet of anybody's Flower run.

Flower is asked for when it is needed: ``pip install 'trustkit[flower]'``.

>>> sorted(__all__)
['ExperimentStrategy', 'Federation', 'TrustStrategy', 'add_counts', 'client_app', 'serve', 'server_app', 'write_app']
"""

from trustkit.flower.client import client_app
from trustkit.flower.counting import add_counts
from trustkit.flower.federation import Federation
from trustkit.flower.rule import ExperimentStrategy
from trustkit.flower.server import serve, server_app
from trustkit.flower.strategy import TrustStrategy
from trustkit.flower.writing import write_app

__all__ = [
    "ExperimentStrategy", "Federation", "TrustStrategy", "add_counts", "client_app", "serve", "server_app", "write_app"
]  # fmt: skip
