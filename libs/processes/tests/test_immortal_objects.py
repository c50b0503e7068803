"""Immortal objects: in a process of their own, as nothing would be freed any more in this one."""

import subprocess
import sys

from tarsy_processes import immortal_objects

PROGRAM = """
import gc, sys
from tarsy_processes.immortal_objects import IMMORTAL, make_immortal

class Shared:
    text = "a text of a class " + str(len(sys.argv))

def shared(number=1234567):
    return ("a constant of a function", number)

some = [Shared(), 98765.5]
assert make_immortal()
for one in (Shared, Shared.text, some, *some, shared, shared.__code__, shared.__code__.co_consts[1], shared()[1]):
    assert sys.getrefcount(one) == IMMORTAL, one

later = [Shared()]
assert sys.getrefcount(later) < IMMORTAL
some.append(later)
del some[0], later
Shared.text += "!"
gc.collect()
assert some == [98765.5, some[1]] and Shared.text.endswith("!")
print("done")
"""


def test_all_objects_that_exist_are_immortal_and_the_program_goes_on() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("done\n", "")


def test_nothing_is_written_where_objects_look_otherwise() -> None:
    program = "from tarsy_processes import immortal_objects as one; one.IMMORTAL = 7; print(one.make_immortal())"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("False\n", "")
    assert sys.getrefcount(None) == immortal_objects.IMMORTAL
