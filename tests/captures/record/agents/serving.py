"""A server in a child process, from the moment it listens until it is asked to stop."""

import contextlib
import signal
import socket
import subprocess
import sys
import time


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(*command):
    """Runs `command PORT` with this interpreter; gives the port once it is listened on."""
    port = free_port()
    child = subprocess.Popen([sys.executable, *command, str(port)])
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield port
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(30)
