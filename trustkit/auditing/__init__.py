"""Is a federated data set biased, client by client? FeDa4Fair's protocol, with repeats, intervals, other test rows."""

from trustkit.auditing.auditor import audit
from trustkit.auditing.result import Audit
from trustkit.auditing.selection import Selected, select_clients
from trustkit.auditing.sheet import datasheet
from trustkit.auditing.verdicts import Verdict

__all__ = ["Audit", "Selected", "Verdict", "audit", "datasheet", "select_clients"]
