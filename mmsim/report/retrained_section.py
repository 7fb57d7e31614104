"""The section on players who know the variants: what retrained nets gained, and which verdicts they change."""

from mmsim.analysis.retrained import NO_CHANGE, retraining_text
from mmsim.report.report_data import ReportData
from mmsim.report.sections import Section


def retrained(data: ReportData) -> Section | None:
    """Only of a run with `--retrain`."""
    text = retraining_text(data)
    if not text:
        return None
    changed = sum(line.startswith("Verdict") for line in text)
    title = f"Retrained nets change {changed} verdicts" if changed else NO_CHANGE.removesuffix(".")
    if all(": no gain:" in line for line in text):
        title = "No variant's players gained by retraining"
    return Section("retrained", "Retrained", title, text)
