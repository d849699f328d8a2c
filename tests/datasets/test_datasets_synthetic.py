"""Traffic in N-BaIoT's columns: the statistics against a slow computation, and the generated data set as a whole."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustkit.catalogue import DATASETS
from trustkit.data import Dataset
from trustkit.datasets import load, nbaiot_synthetic
from trustkit.datasets.synthetic import DECAYS, NBAIOT_ATTACKS, NBAIOT_COLUMNS, NBAIOT_DEVICES, PACKET, statistics

ROWS = 1800
WITHOUT_MIRAI = ("Ennio_Doorbell", "Samsung_SNH_1011_N_Webcam")
PLACE = {name: place for place, name in enumerate(NBAIOT_COLUMNS)}
Key = tuple[int, ...]


def places(kind: str, of: str = "") -> list[int]:
    """The places of a statistic, in all streams or in those whose name starts so."""
    return [place for name, place in PLACE.items() if name.startswith(of) and name.endswith(f"_{kind}")]


@pytest.fixture(scope="module")
def data() -> Dataset:
    """One data set for all tests that only look at it."""
    return nbaiot_synthetic(rows=ROWS)


def packets(*found: tuple[float, float, int, int, int, int]) -> np.ndarray:
    """Packets from (time, size, network, sender, receiver, socket), all of them rows."""
    return np.array([(*packet, True) for packet in found], PACKET)


def random_packets(seed: int, count: int) -> np.ndarray:
    """Few hosts and sockets in two networks, so that all kinds of streams meet; times with ties and silences."""
    rng = np.random.Generator(np.random.Philox(key=seed))
    found = np.zeros(count, PACKET)
    found["time"] = np.cumsum(rng.choice([0.0, 0.01, 0.3, 4.0], count))
    found["size"] = rng.choice([60, 66, 590, 1434], count)
    found["network"], found["sender"] = rng.integers(0, 2, count), rng.integers(0, 3, count)
    found["receiver"] = (found["sender"] + rng.integers(1, 3, count)) % 3
    found["socket"], found["row"] = rng.integers(0, 2, count), rng.random(count) < 0.7
    return found


# The same statistics slowly: each sum over all earlier packets, straight from the formulas; a stream is a tuple.


def slow_moments(p: np.ndarray, x: list[float], keys: list[Key], i: int, decay: float) -> tuple[float, float, float]:
    """Weight, mean and variance of packet i's stream; the variance from deviations, not from squares."""
    members = [j for j in range(i + 1) if keys[j] == keys[i]]
    weights = np.array([2 ** (-decay * (p["time"][i] - p["time"][j])) for j in members])
    values = np.array([x[j] for j in members])
    mean = float(weights @ values / weights.sum())
    return float(weights.sum()), mean, float(weights @ (values - mean) ** 2 / weights.sum())


def slow_two_way(p: np.ndarray, keys: list[Key], i: int, decay: float) -> list[float]:
    """weight, mean, std, magnitude, radius, covariance, pcc of packet i's stream with the opposite one."""
    x = p["size"].tolist()
    opposite = [(network, to, by, *socket) for network, by, to, *socket in keys]

    def since(j: int, now: int) -> float:
        return float(2 ** (-decay * (p["time"][now] - p["time"][j])))

    def residual(j: int) -> float:
        return float(x[j] - slow_moments(p, x, keys, j, decay)[1])

    answered = [max((k for k in range(j) if keys[k] == opposite[j]), default=None) for j in range(i + 1)]
    products = [since(j, i) * residual(j) * residual(k) * since(k, j)
                for j, k in enumerate(answered) if k is not None and keys[i] in (keys[j], opposite[j])]  # fmt: skip
    (weight, mean, variance), other = slow_moments(p, x, keys, i, decay), answered[i]
    w_b, mean_b, variance_b = (0.0, 0.0, 0.0) if other is None else slow_moments(p, x, keys, other, decay)
    covariance = sum(products) / (weight + (0.0 if other is None else w_b * since(other, i)))
    stds = math.sqrt(variance * variance_b)
    ratio = covariance / stds if stds else 0.0
    return [weight, mean, variance**0.5, math.hypot(mean, mean_b), math.hypot(variance, variance_b), covariance, ratio]


def slow_row(p: np.ndarray, i: int) -> list[float]:
    """All 115 statistics after packet i."""
    sockets: list[Key] = [tuple(q) for q in p[["network", "sender", "receiver", "socket"]].tolist()]
    hosts, channels = [key[:2] for key in sockets], [key[:3] for key in sockets]
    before = [[k for k in range(j) if channels[k] == channels[j]] for j in range(i + 1)]
    pauses = [p["time"][j] - p["time"][k[-1]] if k else 1.5e9 + p["time"][j] for j, k in enumerate(before)]
    of_host = [v for decay in DECAYS for v in slow_moments(p, p["size"].tolist(), hosts, i, decay)]
    of_channel = [v for decay in DECAYS for v in slow_two_way(p, channels, i, decay)]
    of_pauses = [v for decay in DECAYS for v in slow_moments(p, pauses, channels, i, decay)]
    return of_host + of_host + of_channel + of_pauses + [v for d in DECAYS for v in slow_two_way(p, sockets, i, d)]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_statistics_are_the_formulas(seed: int) -> None:
    """All 115 columns; a variance may differ by what SS/w − mean² loses, 10⁻⁹ of SS/w, and what follows it likewise."""
    found = random_packets(seed, 40)
    fast = statistics(found)
    slow = np.array([slow_row(found, i) for i in np.flatnonzero(found["row"]).tolist()])
    assert fast.shape == slow.shape == (found["row"].sum(), 115)
    for kind in ("weight", "mean", "magnitude", "covariance"):
        np.testing.assert_allclose(fast[:, places(kind)], slow[:, places(kind)], rtol=1e-6, atol=1e-6, err_msg=kind)
    variances = places("variance")  # two places after the weight, one after the mean
    lost = 2e-9 * (slow[:, variances] + slow[:, [place - 1 for place in variances]] ** 2)
    assert (np.abs(fast[:, variances] - slow[:, variances]) <= lost).all()
    own, radius = slow[:, places("std")] ** 2, slow[:, places("radius")]
    np.testing.assert_allclose(fast[:, places("std")] ** 2, own, rtol=1e-6, atol=5e-3)
    np.testing.assert_allclose(fast[:, places("radius")], radius, rtol=1e-6, atol=1e-2)
    sure = np.minimum(own, np.sqrt(np.maximum(radius**2 - own**2, 0))) > 1
    np.testing.assert_allclose(fast[:, places("pcc")][sure], slow[:, places("pcc")][sure], rtol=1e-2)
    assert sure.sum() > 20  # there is something to compare


def test_three_packets_by_hand() -> None:
    """λ = 1: 100 bytes at 0 s and 60 at 1 s: weight 1/2 + 1; mean (50 + 60)/1.5; the answer, 40 at 2 s, is weight 1.

    SS/w = (5000 + 3600)/1.5 = 5733.33, mean² = 5377.78, variance 355.56. Pauses: 1.5e9, then 1, so their mean is
    (0.75e9 + 1)/1.5. The answer's x − mean is 0, so nothing covaries; its magnitude is √(40² + 73.33²).
    """
    found = statistics(packets((0, 100, 0, 1, 2, 5), (1, 60, 0, 1, 2, 5), (2, 40, 0, 2, 1, 5)))
    second, answer = found[1], found[2]
    for of in ("MI_dir", "H", "HH", "HpHp"):
        assert second[PLACE[f"{of}_L1_weight"]] == 1.5
        assert second[PLACE[f"{of}_L1_mean"]] == pytest.approx(110 / 1.5)
        assert answer[PLACE[f"{of}_L1_weight"]] == 1
    assert second[PLACE["H_L1_variance"]] == pytest.approx(8600 / 1.5 - (110 / 1.5) ** 2)
    assert second[PLACE["HH_jit_L1_mean"]] == pytest.approx(0.750000001e9 / 1.5, rel=1e-12)
    assert answer[PLACE["HH_L1_magnitude"]] == pytest.approx(math.hypot(40, 110 / 1.5))
    assert answer[PLACE["HH_L1_radius"]] == pytest.approx(8600 / 1.5 - (110 / 1.5) ** 2)
    assert answer[PLACE["HH_L1_covariance"]] == answer[PLACE["HH_L1_pcc"]] == 0
    assert second[PLACE["HH_L1_magnitude"]] == second[PLACE["HH_L1_mean"]]


def test_covariance_by_hand() -> None:
    """λ = 1, a packet a second: there 100, back 100, there 60, back 40.

    The third's stream has weights 1/4 and 1, mean (25 + 60)/1.25 = 68, so its x − mean is −8; the second's is 0, so
    nothing covaries yet. The fourth: mean (25 + 40)/1.25 = 52, x − mean −12, times −8/2 (a second old) = 48, over
    1.25 and the other side's 1.25/2. Variances: (2500 + 3600)/1.25 − 68² = 256 and (2500 + 1600)/1.25 − 52² = 576.
    """
    found = statistics(packets((0, 100, 0, 1, 2, 5), (1, 100, 0, 2, 1, 5), (2, 60, 0, 1, 2, 5), (3, 40, 0, 2, 1, 5)))
    for of in ("HH", "HpHp"):
        assert found[2, PLACE[f"{of}_L1_covariance"]] == 0
        assert found[3, PLACE[f"{of}_L1_std"]] == pytest.approx(24)
        assert found[3, PLACE[f"{of}_L1_radius"]] == pytest.approx(math.hypot(256, 576))
        assert found[3, PLACE[f"{of}_L1_covariance"]] == pytest.approx(48 / (1.25 + 0.625))
        assert found[3, PLACE[f"{of}_L1_pcc"]] == pytest.approx(48 / 1.875 / (16 * 24))


@settings(derandomize=True, max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(2, 120))
def test_laws_of_the_statistics(seed: int, count: int) -> None:
    """Weights: at least 1, at most the packets so far, more with less damping. Means lie between the sizes."""
    found = random_packets(seed, count)
    found["row"] = True
    rows = statistics(found)
    assert np.isfinite(rows).all()
    for of in ("MI_dir", "HH", "HpHp"):
        weights, means = rows[:, places("weight", f"{of}_L")], rows[:, places("mean", f"{of}_L")]
        assert (weights >= 1).all()
        assert (weights <= np.arange(1, count + 1)[:, None] * (1 + 1e-12)).all()
        assert (np.diff(weights, axis=1) >= -1e-9).all()
        assert means.min() >= found["size"].min() * (1 - 1e-12)
        assert means.max() <= found["size"].max() * (1 + 1e-12)
    assert (rows[:, places("magnitude")] >= rows[:, places("mean", "HH_L") + places("mean", "HpHp_L")] - 1e-9).all()
    assert (rows[:, places("variance")] >= 0).all()


def test_networks_know_nothing_of_each_other() -> None:
    """Two networks one after the other give what each gives alone."""
    a, b = random_packets(1, 50), random_packets(2, 70)
    a["network"], b["network"] = 0, 1
    alone = np.vstack([statistics(a), statistics(b)])
    np.testing.assert_allclose(statistics(np.concatenate([a, b])), alone, rtol=1e-9, atol=1e-9)


def test_columns_are_nbaiots(data: Dataset) -> None:
    """115 names: 5 rates × (3 + 3 + 7 + 3 + 7), stream by stream, fastest damping first."""
    assert data.columns == NBAIOT_COLUMNS
    assert len(set(NBAIOT_COLUMNS)) == 115
    assert NBAIOT_COLUMNS[:4] == ("MI_dir_L5_weight", "MI_dir_L5_mean", "MI_dir_L5_variance", "MI_dir_L3_weight")
    two_way = ("weight", "mean", "std", "magnitude", "radius", "covariance", "pcc")
    assert NBAIOT_COLUMNS[30:37] == tuple(f"HH_L5_{what}" for what in two_way)
    assert NBAIOT_COLUMNS[65:68] == ("HH_jit_L5_weight", "HH_jit_L5_mean", "HH_jit_L5_variance")
    assert [NBAIOT_COLUMNS[place] for place in (15, 80, 114)] == ["H_L5_weight", "HpHp_L5_weight", "HpHp_L0.01_pcc"]


def test_it_says_that_it_is_synthetic(data: Dataset) -> None:
    """Wherever it is shown; and the checksum is of the arrays."""
    assert "synthetic" in repr(data)
    assert data.provenance.synthetic
    assert data.provenance.stands_in_for.startswith("N-BaIoT")
    assert (data.provenance.source, data.provenance.licence) == ("generated by trustkit", "BSD-3-Clause")
    assert "synthetic" in DATASETS["nbaiot_synthetic"].title
    assert data.provenance.sha256 == hashlib.sha256(data.X.tobytes() + data.y.tobytes()).hexdigest()


@pytest.mark.parametrize(("rows", "benign"), [(ROWS, 0.2), (500, 0.05), (1234, 0.95), (905, 0.5)])
def test_rows_and_shares(rows: int, benign: float) -> None:
    """Devices differ by at most one row; each has its share of benign rows; its attacks differ by at most one."""
    data = nbaiot_synthetic(rows, benign)
    assert data.X.shape == (rows, 115)
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    assert data.classes == ("benign", "attack")
    assert np.isfinite(data.X).all()
    assert tuple(dict.fromkeys(data.groups["device"].tolist())) == tuple(NBAIOT_DEVICES)
    assert np.array_equal(data.y == 0, data.groups["traffic"] == "benign")
    sizes = [int((data.groups["device"] == device).sum()) for device in NBAIOT_DEVICES]
    assert max(sizes) - min(sizes) <= 1
    for device, size in zip(NBAIOT_DEVICES, sizes, strict=True):
        counts = [(data.groups["traffic"][data.groups["device"] == device] == a).sum() for a in NBAIOT_ATTACKS]
        possible = counts[:5] if device in WITHOUT_MIRAI else counts
        assert sum(possible) == size - round(benign * size)
        assert max(possible) - min(possible) <= 1


def test_no_mirai_on_two_devices(data: Dataset) -> None:
    """All ten attacks occur; the Mirai ones on seven devices."""
    assert set(data.groups["traffic"].tolist()) == {"benign", *NBAIOT_ATTACKS}
    mirai = np.char.startswith(data.groups["traffic"], "mirai")
    assert set(NBAIOT_DEVICES) - set(data.groups["device"][mirai].tolist()) == set(WITHOUT_MIRAI)


def test_a_fifth_of_each_device_and_class_is_held_out(data: Dataset) -> None:
    """200 rows a device, 40 of them benign: 8 and 32 are for testing."""
    for device in NBAIOT_DEVICES:
        held = data.held_out & (data.groups["device"] == device)
        assert np.bincount(data.y[held]).tolist() == [8, 32]


def test_the_same_again(data: Dataset) -> None:
    """Bit for bit, by name as by function, and the same test rows as ever; other rows are other numbers."""
    again = load("nbaiot_synthetic", rows=ROWS)
    assert again.provenance.sha256 == data.provenance.sha256
    assert np.array_equal(again.X, data.X)
    assert np.array_equal(again.held_out, data.held_out)
    digest = hashlib.sha256(np.packbits(data.held_out).tobytes()).hexdigest()
    assert digest[:16] == "b949b686de5d7929"
    assert nbaiot_synthetic(rows=ROWS, benign=0.3).provenance.sha256 != data.provenance.sha256
    assert data.X[:, PLACE["H_L5_mean"]].mean() == pytest.approx(137.949121, rel=1e-6)


def test_means_come_near_nbaiots() -> None:
    """Danmini and Philips, MI_dir_L5: weight and mean as published, within a fifth and a tenth (medians: some rows are
    everyday packets); benign sizes within a quarter of each device's mean."""
    data = load("nbaiot_synthetic")
    weight, mean = data.X[:, PLACE["MI_dir_L5_weight"]], data.X[:, PLACE["MI_dir_L5_mean"]]
    two = np.isin(data.groups["device"], ["Danmini_Doorbell", "Philips_B120N10_Baby_Monitor"])
    published = {"gafgyt.combo": (162, 74.5), "gafgyt.scan": (48, None), "gafgyt.tcp": (1.0, 60.2),
                 "mirai.ack": (133, 383), "mirai.scan": (81, 60)}  # fmt: skip
    for attack, (packets_now, size) in published.items():
        rows = two & (data.groups["traffic"] == attack)
        assert np.median(weight[rows]) == pytest.approx(packets_now, rel=0.2), attack
        assert size is None or np.median(mean[rows]) == pytest.approx(size, rel=0.1), attack
    for device, about in NBAIOT_DEVICES.items():
        rows = (data.groups["device"] == device) & (data.y == 0)
        assert data.X[rows, PLACE["MI_dir_L0.1_mean"]].mean() == pytest.approx(about.size, rel=0.25), device


def test_everyday_packets_during_an_attack_are_labelled_attack(data: Dataset) -> None:
    """They go to a server in a channel of their own, whose weight stays small while the bot's host floods."""
    combo = data.X[data.groups["traffic"] == "gafgyt.combo"]
    assert 0 < (combo[:, PLACE["HH_L0.01_weight"]] < 100).mean() < 0.1
    assert (combo[:, PLACE["H_L0.01_weight"]] > 200).all()


def test_it_can_be_learned_but_is_no_constant(data: Dataset) -> None:
    """Logistic regression finds most attacks and most benign rows among the test rows; every column varies."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score

    assert (data.X.std(0) > 0).all()
    assert np.abs(data.X[:, places("pcc")]).max() <= 1  # also after a silence
    scaled = data.scaled()
    train = ~data.held_out
    model = LogisticRegression(max_iter=1000).fit(scaled.X[train], data.y[train])
    predicted = model.predict(scaled.X[data.held_out])
    assert (predicted == data.y[data.held_out]).mean() > 0.95
    assert balanced_accuracy_score(data.y[data.held_out], predicted) > 0.9


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"rows": 499}, ValueError, "nbaiot_synthetic: rows must be between 500 and 20000, got 499"),
        ({"benign": 1.0}, ValueError, r"nbaiot_synthetic: benign must be between 0\.05 and 0\.95, got 1\.0"),
        ({"rows": 600.5}, TypeError, r"nbaiot_synthetic: rows must be a whole number, got 600\.5"),
    ],
)
def test_errors_name_the_rule(wrong: dict[str, float], error: type[Exception], message: str) -> None:
    """From the function and by name."""
    for call in (DATASETS["nbaiot_synthetic"].function, lambda **args: load("nbaiot_synthetic", **args)):
        with pytest.raises(error, match=message):
            call(**wrong)
