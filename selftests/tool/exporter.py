# SPDX-License-Identifier: GPL-2.0-only
"""maru-l1ctl metrics --listen as its clients see it."""
import contextlib
import http.client
import re
import signal
import socket
import subprocess

import exposition
from harness import Tool


class Exporter:
    """Runs it on a port of the kernel's choice."""

    def __init__(self, *args, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [Tool.path, "metrics", *args, "--listen", listen], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(r"Serving http://\[?([^]/]+)\]?:(\d+)/metrics\n", line)
        assert match, (line, self.process.poll())
        self.host, self.port = match[1], int(match[2])

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=30)

    def ask(self, path="/metrics", method="GET", body=None):
        """The answer, with its bytes as .body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body)
            answer = connection.getresponse()
            answer.body = answer.read()
        return answer

    def scrape(self):
        answer = self.ask()
        assert answer.status == 200, (answer.status, answer.body)
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        return exposition.parse(answer.body)

    def end(self, signal_number=signal.SIGTERM):
        """Exit status and what it said."""
        self.process.send_signal(signal_number)
        out, err = self.process.communicate(timeout=30)
        assert not out, out
        return self.process.returncode, err.decode()


@contextlib.contextmanager
def exporter(*args, **kwargs):
    """Ends well, whatever its clients did; silent unless the module did not answer."""
    it = Exporter(*args, **kwargs)
    try:
        yield it
    except BaseException:
        it.process.kill()
        it.process.communicate()
        raise
    code, err = it.end()
    assert code == 0, (code, err)
    assert all(line.startswith("maru-l1ctl: the module does not answer: ")
               for line in err.splitlines()), err
