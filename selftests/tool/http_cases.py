# SPDX-License-Identifier: GPL-2.0-only
"""metrics --listen: addresses, requests good and bad, clients that are slow; no module."""
import concurrent.futures
import contextlib
import os
import signal
import socket
import time

from exporter import Exporter, exporter
from harness import Tool, case, together

LISTEN = ("", ":", "9464", ":9464", "localhost:9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:-1",
          "127.0.0.1:65536", "127.0.0.1:1x", "127.0.0.1: 1", "127.0.1:9464", "::1:9464",
          "[::1]", "[::1]9464", "[::1:9464", "[127.0.0.1]:9464", "[]:9464", "[::1%lo]:9464",
          "*:9464", "256.0.0.1:9464", "[" + "1:" * 4000 + "]:1", "127.0.0.1:9464:1")
CONNECTIONS = 64	# that it serves at a time


@case("listen-words", "what is no address and port is wrong usage; names are not looked up")
def words():
    for text in LISTEN:
        Tool("metrics", "--listen", text).misused("127.0.0.1:9464 or [::1]:9464")
    Tool("metrics", "--json").misused("stats --json")
    Tool("metrics", "a", "b").misused("one argument too many: b")
    Tool("metrics", "a/b").misused("cannot be a pool's name")
    Tool("metrics", "--listen").misused("needs a value")


@case("listen-taken", "an address that is taken or not of this host is told, with the reason")
def taken():
    with exporter() as it:
        Tool("metrics", "--listen", f"127.0.0.1:{it.port}").fails(
            f"cannot listen on http://127.0.0.1:{it.port}", "in use")
    Tool("metrics", "--listen", "192.0.2.1:9464").fails("cannot listen on", "address")


@case("listen-ends", "SIGTERM and SIGINT end it with 0 and free the port, whatever is connected")
def ends():
    port = 0
    for number in (signal.SIGTERM, signal.SIGINT):
        it = Exporter(listen=f"127.0.0.1:{port}")
        port = it.port
        idle = it.connect()
        assert it.ask().status == 200
        assert it.end(number)[0] == 0
        assert idle.recv(1) == b""
        idle.close()


@case("listen-ipv6", "an IPv6 address in brackets; on a host without one, why not")
def ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            pass
    except OSError as error:
        Tool("metrics", "--listen", "[::1]:0").fails("cannot listen on", error.strerror)
        return
    with exporter(listen="[::1]:0") as it:
        assert it.host == "::1" and it.ask().status == 200


@case("http-answers", "GET and HEAD of /metrics; elsewhere 404 with a hint, by other methods 405")
def answers():
    with exporter() as it:
        got = it.ask()
        assert got.status == 200 and b"maru_l1_up" in got.body
        head = it.ask(method="HEAD")
        assert head.status == 200 and not head.body
        assert head.headers["Content-Length"] == got.headers["Content-Length"]
        assert it.ask("/metrics?name=x").status == 200
        for path in ("/", "/metric", "/metrics/", "//metrics", "/" + "x" * 4000):
            got = it.ask(path)
            assert got.status == 404 and b"see /metrics" in got.body, (path, got.body)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "FROBNICATE"):
            got = it.ask(method=method, body=b"x" * 100)
            assert got.status == 405 and got.headers["Allow"] == "GET, HEAD", method


@case("http-junk", "what is no request is answered 4xx or cut off, and the next one is served")
def junk():
    with exporter() as it:
        for data in (b"\0" * 100, b"GET\r\n\r\n", b"\r\n" * 1000, b"GET /metrics HTTP/9.9\r\n\r\n",
                     b"GET /metrics HTTP/1.1\r\nA: " + b"x" * 100000 + b"\r\n\r\n",
                     b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n",
                     b"GET " + b"/x" * 50000 + b" HTTP/1.1\r\n\r\n", os.urandom(5000)):
            with contextlib.closing(it.connect()) as connection:
                # It may have been cut off before all was sent.
                with contextlib.suppress(OSError):
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                    answer = connection.recv(100)
                    assert not answer or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4",
                                                            b"HTTP/1.1 5", b"HTTP/1.0 5")), answer
            assert it.ask().status == 200


@case("http-one", "a connection has one request: a second one in it is not answered")
def one_request():
    with exporter() as it, contextlib.closing(it.connect()) as connection:
        request = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
        connection.sendall(request * 2)
        data = b""
        while True:
            more = connection.recv(65536)
            if not more:
                break
            data += more
        assert data.count(b"HTTP/1.1 200") == 1 and b"Connection: close" in data, data


@case("http-gone", "clients that go away before, while and after asking harm nobody")
def gone():
    with exporter() as it:
        for data in (b"", b"GET /met", b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"):
            for _ in range(50):
                connection = it.connect()
                connection.sendall(data)
                # Unread data or not: the peer sees a reset.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.close()
        assert it.ask().status == 200


@case("http-many", "many scrapes at the same time are all served, each whole")
def many():
    with exporter() as it:
        def scrape(_):
            for _ in range(20):
                assert "maru_l1_up" in it.scrape()

        together(scrape, range(30))


def trickle(connections, data):
    """Sends each the next byte until it is closed; how many bytes that took."""
    left, at = set(connections), 0
    while left:
        for connection in list(left):
            try:
                connection.send(data[at:at + 1])
                if connection.recv(100) == b"":
                    left.discard(connection)
            except BlockingIOError:
                pass
            except ConnectionError:
                left.discard(connection)
        at += 1
        assert at < len(data), f"{len(left)} clients are still served"
        time.sleep(0.2)
    return at


@case("http-slow", "clients that send a byte now and then are cut off, one that waits is served")
def slow():
    with exporter() as it:
        files = len(os.listdir(f"/proc/{it.process.pid}/fd"))
        taking = [it.connect() for _ in range(CONNECTIONS)]
        for connection in taking:
            connection.setblocking(False)
        with concurrent.futures.ThreadPoolExecutor(1) as other:
            waiting = other.submit(it.ask)
            trickle(taking, b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 500)
            assert waiting.result().status == 200
        for connection in taking:
            connection.close()
        assert it.ask().status == 200
        assert len(os.listdir(f"/proc/{it.process.pid}/fd")) <= files + 1
