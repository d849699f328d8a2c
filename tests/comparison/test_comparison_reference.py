"""FedAvg on the authors' own client files: accuracy and gaps as measured before, within 0.01.

The files are read where ``TRUSTKIT_REFERENCE`` says, or in ``../shared/data_reference`` beside the checkout; without
them the tests are skipped. The short mode takes 1,500 rows of each state, the long one (``TRUSTKIT_BENCH=1``) all
740,932 rows of the 111 clients of attribute-device.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from trustkit.comparison import Outcome
from trustkit.data import Dataset, FederatedDataset
from trustkit.datasets import read_feda4fair
from trustkit.horizontal import fedavg, logistic
from trustkit.metrics.heterogeneity import worst_share_mean
from trustkit.partition import Partition

ROOT = Path(__file__).parents[2]
FILES = Path(os.environ.get("TRUSTKIT_REFERENCE", ROOT.parent / "shared" / "data_reference")) / "feda4fair"
FULL = os.environ.get("TRUSTKIT_BENCH") == "1"

pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason="the authors' client files are not here")


def prepared(file: str) -> Dataset:
    """Read clients: class of worker and schooling as columns of 0 and 1, all else divided by its largest value."""
    data = read_feda4fair(FILES / file, one_hot=("COW", "SCHL"))
    return replace(data, X=data.X / np.maximum(data.X.max(axis=0), 1), scaling="none")


def measured(data: Dataset, owner: np.ndarray, batch: int) -> tuple[dict[str, float], dict[str, float], float]:
    """Play 15 rounds of 2 epochs with all clients; return measures by sex and race, and the worst tenth's accuracy.

    The numbers to compare with are of a model with one score and steps of 1.0. With a score for each of two classes
    the gradient moves both, in opposite directions: steps of 0.5 move their difference as far.
    """
    fed = FederatedDataset(data, Partition("rows", owner, int(owner.max()) + 1))
    trainer = fedavg(fed, logistic(data), None, 1.0, 15, lr=0.5, epochs=2, batch=batch)
    state = trainer.start()
    for index in range(1, 16):
        state, seen = trainer.step(state, index, lambda: None)
    found = Outcome(seen.accuracy, seen.groups, 0.0)
    return found.measures("SEX"), found.measures("RAC1P"), worst_share_mean(seen.accuracy, 0.1)


@pytest.mark.skipif(not FULL, reason="plays 111 clients of 740,932 rows; set TRUSTKIT_BENCH=1")
def test_attribute_device() -> None:
    """Both pooled gaps are below 0.09, and yet more than half of the clients lie above it for race."""
    data = prepared("cross_device_attribute_final.parquet")
    names, owner = np.unique(data.groups["client"], return_inverse=True)
    assert (names.size, data.y.size) == (111, 740_932)
    sex, race, worst = measured(data, owner, 512)
    assert (sex["accuracy"], worst) == pytest.approx((0.7707, 0.7229), abs=0.01)
    assert (sex["pooled_dd"], race["pooled_dd"]) == pytest.approx((0.0593, 0.0841), abs=0.01)
    assert (sex["client_dd"], race["client_dd"]) == pytest.approx((0.0640, 0.0990), abs=0.01)
    assert max(sex["pooled_dd"], race["pooled_dd"]) < 0.09
    assert race["over"] > 0.5


def test_attribute_silo_of_few_rows() -> None:
    """1,500 rows of each of 47 states, in as many steps as the state in the middle takes on all of its 19,785."""
    data = prepared("cross_silo_attribute_final_1500_per_client.parquet")
    assert data.y.size == 47 * 1500
    sex, race, _ = measured(data, np.arange(data.y.size) // 1500, 39)
    assert sex["accuracy"] == pytest.approx(0.7751, abs=0.01)
    # 14,100 test rows give a gap a standard error of .01 for race, and small states count as much as large ones
    assert (sex["pooled_dd"], race["pooled_dd"]) == pytest.approx((0.0763, 0.0841), abs=0.02)
    assert sex["worst_dd"] > 0.1 + sex["pooled_dd"]
