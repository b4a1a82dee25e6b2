"""The everyday jobs of `benchmarks/jobs.toml`, done on the stand-in by who always takes the first hit."""

from statistics import median

import pytest
from benchmarks.jobs import do_jobs


@pytest.mark.promise("everyday-jobs-are-short")
async def test_everyday_jobs_are_done_with_few_calls_and_few_tokens() -> None:
    done = await do_jobs()

    assert len(done) == 20
    assert [one for one in done if one.trouble] == []
    assert median(one.calls for one in done) <= 3
    assert median(one.tokens for one in done) <= 6_000
