"""What the front is told to do wrong.

A fault is for statements that contain a text, skips the first few of them, and then happens a
number of times or until it is healed. It is one of

- delay: the statement waits before it is run;
- refuse: the connection is closed without an answer, and nothing is run;
- fail: the statement is answered with an error code of the engine, and nothing is run;
- stop_before: the whole engine is killed after the request was read and before it is run;
- stop_after: the whole engine is killed after the statement was run and before it is answered;
- stop_within: the whole engine is killed in the middle of a streamed answer;
- first: another statement is run before it, as of another client that came in between.
"""

import os
import signal
import threading
import time

KINDS = ("delay", "refuse", "fail", "stop_before", "stop_after", "stop_within", "first")


class Refused(Exception):
    """The connection is to be closed without an answer."""


class Failed(Exception):
    """The statement is to be answered with this error."""


class Faults:
    """The faults that are set, each asked about every statement."""

    def __init__(self):
        self._lock = threading.Lock()
        self._faults = []

    def set(self, fault):
        if fault["kind"] not in KINDS:
            raise ValueError(f"no fault {fault['kind']!r}")
        with self._lock:
            self._faults.append(fault)

    def heal(self):
        with self._lock:
            self._faults.clear()

    def take(self, statement):
        """The faults that happen to this statement."""
        happening = []
        with self._lock:
            for fault in list(self._faults):
                if fault["of"] not in statement:
                    continue
                if fault["skip"] > 0:
                    fault["skip"] -= 1
                    continue
                happening.append(dict(fault))
                if fault["times"] is not None:
                    fault["times"] -= 1
                    if fault["times"] == 0:
                        self._faults.remove(fault)
        return happening


def before(happening):
    """What goes wrong before the statement is run."""
    for fault in happening:
        if fault["kind"] == "delay":
            time.sleep(fault["ms"] / 1000)
        elif fault["kind"] == "refuse":
            raise Refused
        elif fault["kind"] == "fail":
            raise Failed(f"Code: {fault['code']}. DB::Exception: A fault that a test asked for.")
        elif fault["kind"] == "stop_before":
            stop()


def first(happening):
    """The statements that come in between."""
    return [fault["sql"] for fault in happening if fault["kind"] == "first"]


def after(happening):
    """What goes wrong after the statement was run, before it is answered."""
    if any(fault["kind"] == "stop_after" for fault in happening):
        stop()


def within(happening):
    """What goes wrong in the middle of a streamed answer."""
    if any(fault["kind"] == "stop_within" for fault in happening):
        stop()


def stop():
    """As a machine that lost its power, as far as a process can show it."""
    os.kill(os.getpid(), signal.SIGKILL)
