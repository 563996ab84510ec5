"""The baked runs are what they were when somebody last looked. `pytest --update-run-snapshots` looks anew."""


def test_the_line_that_was_found_is_almost_the_best_one(baked_run, run_snapshot):
    run = baked_run("fit-line")

    assert run.metrics["gap"].value < 0.01
    run_snapshot(run)
