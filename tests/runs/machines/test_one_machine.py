"""What a worker of a home does with runs, once more with the runs in PostgreSQL."""

from tests.runs.faults.test_kills import (
    test_a_resumable_run_goes_on_at_its_first_unfinished_episode,
    test_a_run_that_cannot_go_on_is_interrupted_and_nothing_of_it_is_left,
    test_what_waits_when_the_worker_dies_is_done_once_afterwards,
)
from tests.runs.faults.test_signals import test_a_stopped_worker_gives_back_what_can_be_resumed_and_what_waits
from tests.runs.worker.test_cancels import (
    test_a_cancel_reaches_a_running_step_and_frees_the_slot,
)
from tests.runs.worker.test_worker import test_a_run_is_done_by_a_process_of_its_own_which_ends_with_it

# Collected here with this folder's `home`.
__all__ = [
    "test_a_cancel_reaches_a_running_step_and_frees_the_slot",
    "test_a_resumable_run_goes_on_at_its_first_unfinished_episode",
    "test_a_run_is_done_by_a_process_of_its_own_which_ends_with_it",
    "test_a_run_that_cannot_go_on_is_interrupted_and_nothing_of_it_is_left",
    "test_a_stopped_worker_gives_back_what_can_be_resumed_and_what_waits",
    "test_what_waits_when_the_worker_dies_is_done_once_afterwards",
]
