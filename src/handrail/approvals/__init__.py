"""Who must have agreed to a call before it is sent."""

from handrail.approvals.policy import Agreement, Verdict, decide

__all__ = ["Agreement", "Verdict", "decide"]
