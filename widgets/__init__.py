"""Panels: forms over the catalogues and observers of the rounds, on one shared `Lab`."""

if __name__ != "trustkit.widgets":
    raise ImportError("import trustkit.widgets, not widgets")

from trustkit.widgets.achieved import AskedPanel
from trustkit.widgets.app import app, opening
from trustkit.widgets.attack import AttackPanel
from trustkit.widgets.budget import PrivacyPanel
from trustkit.widgets.clients import ClientPanel
from trustkit.widgets.compare import ComparePanel
from trustkit.widgets.controls import Controls
from trustkit.widgets.correlation import CorrelationPanel
from trustkit.widgets.fairness import FairnessPanel
from trustkit.widgets.files import FilesPanel
from trustkit.widgets.groups import GroupPanel
from trustkit.widgets.lab import Lab
from trustkit.widgets.links import asked, waiting
from trustkit.widgets.page import page
from trustkit.widgets.pillars import TrustPanel
from trustkit.widgets.replicas import ReplicaPanel
from trustkit.widgets.report import ReportPanel
from trustkit.widgets.scores import ScorePanel
from trustkit.widgets.setting import Setting
from trustkit.widgets.split import SplitPanel
from trustkit.widgets.training import TrainPanel
from trustkit.widgets.vertical import VerticalPanel

__all__ = [
    "AskedPanel",
    "AttackPanel",
    "ClientPanel",
    "ComparePanel",
    "Controls",
    "CorrelationPanel",
    "FairnessPanel",
    "FilesPanel",
    "GroupPanel",
    "Lab",
    "PrivacyPanel",
    "ReplicaPanel",
    "ReportPanel",
    "ScorePanel",
    "Setting",
    "SplitPanel",
    "TrainPanel",
    "TrustPanel",
    "VerticalPanel",
    "app",
    "asked",
    "opening",
    "page",
    "waiting",
]
