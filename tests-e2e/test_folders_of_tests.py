import os
import subprocess
from pathlib import Path

from tarsy_testing.real_servers import FOLDER, remove_left_folders


def test_what_a_run_that_was_killed_left_in_memory_is_removed_and_that_of_others_stays(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
        left = tmp_path / f"{FOLDER}{ended.pid}-a"
    of_others = [tmp_path / f"{FOLDER}{os.getpid()}-b", tmp_path / f"{FOLDER}older", tmp_path / "another"]
    for folder in (left, *of_others):
        (folder / "kafka").mkdir(parents=True)

    remove_left_folders(tmp_path)

    assert sorted(tmp_path.iterdir()) == sorted(of_others)
