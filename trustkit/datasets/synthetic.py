"""Data that trustkit makes itself: IoT traffic in N-BaIoT's 115 columns, computed from simulated packets.

A packet updates four streams: of its sender, of its channel (sender and receiver), of the channel's pauses (jit) and
of its socket. A row is what they look like just after one of the device's own packets, older packets counting less.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from trustkit.catalogue import DATASETS, Interval
from trustkit.data import Dataset, Provenance
from trustkit.datasets.bundled import TEST_SHARE
from trustkit.datasets.rows import hold_out
from trustkit.rng import stream

__all__ = ["DECAYS", "NBAIOT_ATTACKS", "NBAIOT_COLUMNS", "NBAIOT_DEVICES", "PACKET", "nbaiot_synthetic", "statistics"]

DECAYS = (5.0, 3.0, 1.0, 0.1, 0.01)
"""The five damping rates λ in 1/s: after Δt seconds a packet counts for 2^(−λΔt)."""

_ONE = ("weight", "mean", "variance")
_TWO = ("weight", "mean", "std", "magnitude", "radius", "covariance", "pcc")
_STREAMS = {"MI_dir": _ONE, "H": _ONE, "HH": _TWO, "HH_jit": _ONE, "HpHp": _TWO}
NBAIOT_COLUMNS = tuple(f"{of}_L{decay:g}_{what}" for of in _STREAMS for decay in DECAYS for what in _STREAMS[of])
"""The 115 names in the order of N-BaIoT's files: stream, damping rate, statistic."""


@dataclass(frozen=True)
class _Device:
    """Mean size of its benign packets in bytes, benign rows in N-BaIoT, and whether Mirai ran on it."""

    size: float
    benign_rows: int
    mirai: bool = True


NBAIOT_DEVICES = {
    "Danmini_Doorbell": _Device(92, 49_548),
    "Ecobee_Thermostat": _Device(208, 13_113),
    "Ennio_Doorbell": _Device(83, 39_100, mirai=False),
    "Philips_B120N10_Baby_Monitor": _Device(85, 175_240),
    "Provision_PT_737E_Security_Camera": _Device(94, 62_154),
    "Provision_PT_838_Security_Camera": _Device(99, 98_514),
    "Samsung_SNH_1011_N_Webcam": _Device(276, 52_150, mirai=False),
    "SimpleHome_XCS7_1002_WHT_Security_Camera": _Device(184, 46_585),
    "SimpleHome_XCS7_1003_WHT_Security_Camera": _Device(221, 19_528),
}
"""The nine devices of N-BaIoT, in its order."""


@dataclass(frozen=True)
class _Attack:
    """Packets a second, their sizes in bytes with shares, and what is new in each: receiver, socket, sender."""

    rate: float
    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    new: tuple[str, ...] = ()


NBAIOT_ATTACKS = {
    "gafgyt.combo": _Attack(580, (74, 98), (0.97, 0.03)),
    "gafgyt.junk": _Attack(600, (74, 90), (0.96, 0.04)),
    "gafgyt.scan": _Attack(170, (74, 100), (0.9, 0.1), ("receiver", "socket")),
    "gafgyt.tcp": _Attack(500, (60, 120), (0.997, 0.003), ("receiver", "socket", "sender")),
    "gafgyt.udp": _Attack(500, (60, 110), (0.997, 0.003), ("receiver", "socket", "sender")),
    "mirai.ack": _Attack(470, (60, 566), (0.36, 0.64), ("socket",)),
    "mirai.scan": _Attack(290, (60,), (1.0,), ("receiver", "socket")),
    "mirai.syn": _Attack(500, (60, 74, 90), (0.4, 0.35, 0.25), ("socket",)),
    "mirai.udp": _Attack(500, (60, 554), (0.36, 0.64), ("socket",)),
    "mirai.udpplain": _Attack(500, (60, 554), (0.45, 0.55)),
}
"""The ten attacks of N-BaIoT."""

PACKET = np.dtype([("time", float), ("size", float), ("network", int), ("sender", int), ("receiver", int),
                   ("socket", int), ("row", bool)])  # fmt: skip
"""A packet: seconds, bytes, network (one knows nothing of another; below 32,768), addresses and connection (the same
both ways; below 65,536), and whether it makes a row."""

_WARM, _SPREAD, _LIFE = 300, 4, 60  # packets before the first row, and for each row; everyday packets about an attack
_EPOCH = 1.5e9  # the pause before a channel's first packet: seconds since 1970, as in N-BaIoT's files


@DATASETS.enter("nbaiot_synthetic", title="IoT traffic in N-BaIoT's columns (synthetic)")
def nbaiot_synthetic(
    rows: Annotated[int, Interval(500, 20000), "rows of all devices together"] = 3600,
    benign: Annotated[float, Interval(0.05, 0.95), "share of benign rows of each device"] = 0.2,
) -> Dataset:
    """Nine devices' traffic, everyday or under attack: generated, in N-BaIoT's columns, with no row of N-BaIoT in it.

    Parameters
    ----------
    rows : int
        Rows of all devices together, 500 to 20,000; devices differ by at most one.
    benign : float
        The share of benign rows of each device, 0.05 to 0.95, rounded to whole rows; the attacks share the rest.

    Returns
    -------
    Dataset
        rows × 115 float64; classes benign and attack; natural clients: device, and traffic (benign or one of ten
        attacks; no Mirai on the Ennio and the Samsung device). 20 % of each device's benign and attack rows held out.

    Raises
    ------
    TypeError, ValueError
        If a parameter is of a wrong type or out of range.

    Notes
    -----
    Accuracy on it says nothing about accuracy on N-BaIoT. The same arguments give the same rows; between processors
    the last digits, and with them the checksum (of X, then y, as in PROVENANCE.md), may differ.

    Source
    ------
    N-BaIoT (Meidan et al. 2018): devices, attacks, columns. FederatedTrust (Sánchez Sánchez et al. 2024): its use.

    Deviations
    ----------
    Packets are drawn at random, with rates and sizes that bring some means near N-BaIoT's; pauses are a guess.

    Examples
    --------
    >>> nbaiot_synthetic(rows=900)
    Dataset('nbaiot_synthetic', synthetic, 900 rows × 115 columns, binary)
    """
    plan = _plan(**DATASETS["nbaiot_synthetic"].arguments({"rows": rows, "benign": benign}))
    packets = np.concatenate([_capture(*capture, network) for network, capture in enumerate(plan)])
    device, traffic = (np.repeat([capture[field] for capture in plan], [rows for *_, rows in plan]) for field in (0, 1))
    X, y = np.ascontiguousarray(statistics(packets), dtype="<f8"), (traffic != "benign").astype("<i8")
    sha256 = hashlib.sha256(X.tobytes() + y.tobytes()).hexdigest()
    return Dataset(
        "nbaiot_synthetic", X, y, NBAIOT_COLUMNS, ("benign", "attack"),
        Provenance("generated by trustkit", "BSD-3-Clause", sha256, True, "N-BaIoT (Meidan et al. 2018)"),
        groups={"device": device, "traffic": traffic},
        held_out=hold_out(2 * np.unique(device, return_inverse=True)[1] + y, TEST_SHARE, "nbaiot_synthetic"),
        notes={"packets": packets.size},
    )  # fmt: skip


def _plan(rows: int, benign: float) -> list[tuple[str, str, int]]:
    """Device, traffic and number of rows of each capture; the rows left over go to other attacks on each device."""
    plan = []
    for d, (device, about) in enumerate(NBAIOT_DEVICES.items()):
        here = rows // len(NBAIOT_DEVICES) + (d < rows % len(NBAIOT_DEVICES))
        quiet = round(benign * here)
        attacks = [name for name in NBAIOT_ATTACKS if about.mirai or not name.startswith("mirai")]
        each, odd = divmod(here - quiet, len(attacks))
        plan.append((device, "benign", quiet))
        plan += [(device, name, each + ((a - d) % len(attacks) < odd)) for a, name in enumerate(attacks)]
    return [capture for capture in plan if capture[2]]


def _capture(device: str, traffic: str, rows: int, network: int) -> np.ndarray:
    """Packets of one device in the order of time; some, at random, make the rows asked for."""
    rng, count = stream(0, "nbaiot_synthetic", device, traffic), _WARM + _SPREAD * rows
    if traffic == "benign":
        found = _everyday(rng, NBAIOT_DEVICES[device], count)
    else:  # everyday life goes on, and what it sends during the attack is labelled attack, as in N-BaIoT
        life, flood = _everyday(rng, NBAIOT_DEVICES[device], _LIFE), _flood(rng, NBAIOT_ATTACKS[traffic], count)
        life["time"] += flood["time"].max() - life["time"].max()
        life["row"] = (life["time"] >= flood["time"][_WARM]) & (life["sender"] == 0)
        found = np.concatenate([life, flood])
    found = found[np.argsort(found["time"], kind="stable")]
    chosen = rng.choice(np.flatnonzero(found["row"]), rows, replace=False)
    found["row"], found["network"] = np.isin(np.arange(found.size), chosen), network
    return found


def _packets(count: int, **fields: np.ndarray | int) -> np.ndarray:
    found = np.zeros(count, PACKET)
    for name, values in fields.items():
        found[name] = values
    return found


def _everyday(rng: np.random.Generator, device: _Device, count: int) -> np.ndarray:
    """What a device sends when nothing is wrong, in bursts to a dozen servers, and answers to half of it."""
    pause = 1.2 * 49_548 / device.benign_rows  # seconds; busier devices pause less
    small = rng.choice([60, 66, 90], count, p=[0.44, 0.37, 0.19])  # 67.92 on average
    large = rng.random(count) < (device.size - 67.92) / (590 - 67.92)
    sent = _packets(count, time=np.cumsum(rng.exponential(np.where(rng.random(count) < 0.3, pause, 0.02))),
                    size=np.where(large, 590, small), receiver=1 + rng.zipf(1.8, count) % 12,
                    socket=rng.integers(0, 6, count), row=np.arange(count) >= _WARM)  # fmt: skip
    answers = sent[rng.random(count) < 0.5]
    answers["sender"], answers["receiver"], answers["row"] = answers["receiver"], 0, False
    answers["time"] += rng.exponential(0.01, answers.size)
    answers["size"] = np.rint(answers["size"] * rng.uniform(0.5, 2, answers.size))
    return np.concatenate([sent, answers])


def _flood(rng: np.random.Generator, attack: _Attack, count: int) -> np.ndarray:
    """What a bot sends; no two captures are equally fast."""
    each, rate = np.arange(count), attack.rate * rng.lognormal(0, 0.1)
    return _packets(count, time=np.cumsum(rng.exponential(1 / rate, count)), row=each >= _WARM,
                    size=rng.choice(attack.sizes, count, p=attack.shares),
                    socket=each if "socket" in attack.new else 0, sender=100 + each if "sender" in attack.new else 0,
                    receiver=20_000 + each if "receiver" in attack.new else 60_000)  # fmt: skip


def statistics(packets: np.ndarray) -> np.ndarray:
    """Compute N-BaIoT's 115 statistics after each packet that makes a row.

    Parameters
    ----------
    packets : (p,) array of `PACKET`
        In the order of time within each network; n of them make a row.

    Returns
    -------
    (n, 115) float array
        Columns as `NBAIOT_COLUMNS`: weights in packets, sizes in bytes, pauses (jit) in seconds.

    Notes
    -----
    A damped sum of v after packet i is Σⱼ 2^(−λ(tᵢ − tⱼ)) vⱼ over the stream's packets j ≤ i. With those of 1 (w), of
    x (LS) and of x² (SS): mean LS/w, variance SS/w − (LS/w)². For a stream a and the opposite one b: magnitude
    √(meanₐ² + mean_b²), radius √(varₐ² + var_b²), covariance SR/(wₐ + w_b) with SR the damped sum, over both, of a
    packet's x − mean times the other side's latest; pcc = covariance/(stdₐ std_b), or 0 where a std is 0. While
    nothing has come back, what needs b takes 0 for it.

    Source
    ------
    Kitsune (Mirsky et al. 2018), statistics of one and two streams; N-BaIoT (Meidan et al. 2018), choice of streams.

    Deviations
    ----------
    The other side's latest x − mean is damped by its age; Kitsune's code keeps it whole, which after a silence
    sends pcc far outside [−1, 1]. A variance below 10⁻⁹ of the mean square is rounding, and 0; theirs keeps its
    absolute value. MI_dir (hardware and network address) equals H (network address): here they mean the same.

    Examples
    --------
    >>> two = np.array([(0, 60, 0, 1, 2, 5, True), (1, 90, 0, 1, 2, 5, True)], PACKET)
    >>> statistics(two)[1, [6, 7]].tolist()  # MI_dir_L1_weight and MI_dir_L1_mean
    [1.5, 80.0]
    """
    p = packets
    low, high = np.minimum(p["sender"], p["receiver"]), np.maximum(p["sender"], p["receiver"])
    sender = p["network"] << 16 | p["sender"]
    channel, pair = sender << 16 | p["receiver"], (p["network"] << 16 | low) << 16 | high
    before = _latest(channel)
    pause = np.where(before < 0, _EPOCH + p["time"], p["time"] - p["time"][before])
    both = ((p["size"], sender), (pause, channel))
    of_host, of_pauses = (np.stack(_one_way(values, p["time"], key), axis=2) for values, key in both)
    of_socket = _two_way(p, channel << 16 | p["socket"], pair << 16 | p["socket"])
    parts = [of_host, of_host, _two_way(p, channel, pair), of_pauses, of_socket]
    return np.hstack([part[p["row"]].reshape(-1, part.shape[1] * part.shape[2]) for part in parts])


def _one_way(values: np.ndarray, time: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, mean and variance of a stream after each packet, each (p, 5)."""
    weight = _damped_sums(np.ones_like(values), time, key)
    mean, square = _damped_sums(values, time, key) / weight, _damped_sums(values**2, time, key) / weight
    variance = square - mean**2
    return weight, mean, np.where(variance > 1e-9 * square, variance, 0.0)


def _two_way(p: np.ndarray, key: np.ndarray, pair: np.ndarray) -> np.ndarray:
    """The seven statistics of a stream and the opposite one, (p, 5, 7); ``pair`` is the key of the two together."""
    weight, mean, variance = _one_way(p["size"], p["time"], key)
    other = _latest(pair, p["sender"] < p["receiver"])
    since = np.where(other >= 0, p["time"] - p["time"][other], np.inf)
    decay, answered = np.exp2(-np.outer(since, DECAYS)), (other >= 0)[:, None]
    residual = p["size"][:, None] - mean
    covariance = _damped_sums(residual * residual[other] * decay, p["time"], pair) / (weight + weight[other] * decay)
    mean_b, variance_b = mean[other] * answered, variance[other] * answered
    spread = np.sqrt(variance * variance_b)
    pcc = np.divide(covariance, spread, out=np.zeros_like(spread), where=spread > 0)
    magnitude, radius = np.hypot(mean, mean_b), np.hypot(variance, variance_b)
    return np.stack([weight, mean, np.sqrt(variance), magnitude, radius, covariance, pcc], axis=2)


def _latest(key: np.ndarray, way: np.ndarray | None = None) -> np.ndarray:
    """The latest earlier packet (p,) with each one's key, of the other way if ways are given; −1 if there is none."""
    order, place = np.argsort(key, kind="stable"), np.arange(key.size)
    first = np.maximum.accumulate(np.where(np.diff(key[order], prepend=-1) != 0, place, 0))
    latest = place - 1
    if way is not None:
        forth, back = (np.maximum.accumulate(np.where(way[order] == w, place, -1)) for w in (True, False))
        latest = np.where(way[order], back, forth)
    return np.where(latest >= first, order[latest], -1)[np.argsort(order)]


def _damped_sums(values: np.ndarray, time: np.ndarray, key: np.ndarray) -> np.ndarray:
    """The damped sums (p, 5) of values (p,) or (p, 5) over each stream, in log₂ of the longest stream steps."""
    order = np.argsort(key, kind="stable")
    follows = np.diff(key[order], prepend=-1) == 0
    decay = np.exp2(-np.outer(np.where(follows, np.diff(time[order], prepend=0.0), np.inf), DECAYS))
    sums = np.broadcast_to(values.reshape(values.shape[0], -1)[order], decay.shape).copy()
    longest = int(np.diff(np.flatnonzero(np.append(~follows, True))).max(initial=1))
    for step in 2 ** np.arange((longest - 1).bit_length()):  # sums over `step` packets take in those `step` before
        sums[step:] += decay[step:] * sums[:-step]
        decay[step:] *= decay[:-step].copy()
    return sums[np.argsort(order)]
