# SPDX-License-Identifier: GPL-2.0-only
"""Every example of the manual page is run, in the page's order, as one story."""
import contextlib
import json
import os
import subprocess
import threading
import time

import manual
import ondisk
import shared
from guest import DAX, Client, Pool, new_memfd, write_dax
from harness import MIB, Memory, Tool, case, memory


def run(prompt, command, at):
    """A line of the page in a shell: as root behind '#', as nobody behind '$'."""
    path = f"{os.path.dirname(Tool.path)}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=at, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60,
                          user="nobody" if prompt == "$" else None,
                          env={**os.environ, "PATH": path}, check=False)
    return done.stdout.decode()


@contextlib.contextmanager
def evictions():
    """Something that happens to the pool over and over: an event waits for nobody."""
    done = threading.Event()

    def evict():
        while not done.wait(0.2):
            Tool("put", "kv0", "event", "-", input=b"x" * MIB)
            Tool("evict", "kv0", "--count", "1")

    thread = threading.Thread(target=evict)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextlib.contextmanager
def second_device():
    """What the page calls /dev/dax1.0 is a memfd here: the guest has one device."""
    with memory(64 * MIB) as memfd:
        os.symlink(memfd.path, "/dev/dax1.0")
        try:
            yield
        finally:
            os.unlink("/dev/dax1.0")


class CacheServer:
    """A client that holds an object of the story, under the name that the page has."""

    def __init__(self):
        self.client = None

    def begin(self):
        with open("/proc/self/comm", "r+", encoding="ascii") as file:
            before = file.read()
            file.write("cache-server")
            file.flush()
            self.client = Client("kv0")
            file.write(before)
        self.client.hold(b"qwen/0")

    def end(self):
        if self.client:
            self.client.close()


@case("man-story", "each example of the manual prints what the page shows, in shape")
def story():
    shared.end()
    write_dax(0, b"\0" * 2 * ondisk.COPY)
    wrong = []
    server = CacheServer()
    with shared.folder() as at, second_device():
        for verb, prompt, command, shown in manual.examples():
            if verb == "objects" and not server.client:
                server.begin()
            with evictions() if verb == "events" else contextlib.nullcontext():
                real = run(prompt, command, at)
            if not manual.same_shape(shown, real):
                wrong.append(f"{verb}: {prompt} {command}\n"
                             f"the page shows:\n{shown}it prints:\n{real}")
    server.end()
    if os.path.exists("/dev/maru_l1/kv0"):
        Tool("detach", "kv0", "--force")
    assert not wrong, "\n" + "\n".join(wrong)
    # After a detach by force the memory rests for the time of the quarantine.
    time.sleep(3)
    Tool("format", DAX, "--force").ok()


def cause_events(name):
    client = Client(name)
    client.stage(b"unfinished", 8 * MIB)
    client.close()
    shared.put("event", 16 * MIB)
    time.sleep(1.2)  # the module looks at the fill once a second
    Tool("evict", name, "--count", "1").ok()


def events_until_seen(name):
    """Follows the pool while things happen to it, until each documented key has come."""
    end = time.monotonic() + 20
    with shared.folder() as at, open(f"{at}/events", "wb") as file, \
            subprocess.Popen([Tool.path, "events", name, "--json"], stdout=file) as tool:
        try:
            while missing := set(manual.keys("events")) - manual.SEEN.get("events", set()):
                assert time.monotonic() < end, missing
                cause_events(name)
                with open(f"{at}/events", encoding="ascii") as lines:
                    for line in lines.read().split("\n")[:-1]:
                        assert not manual.undocumented("events", json.loads(line)), line
        finally:
            tool.terminate()


@case("man-json", "what verbs that look tell programs has the keys that the manual names")
def look():
    with shared.empty_pool() as name:
        client = Client(name)
        client.must(client.lib.marul1_set_leases(client.client, 600000, 600000))
        shared.put("k", 4096)
        client.hold(b"k")
        for args in (("objects",), ("show", "k"), ("clients",), ("holds",), ("layouts",),
                     ("segments",), ("stats",), ("info",), ("query", "k"), ("check",)):
            Tool(args[0], name, *args[1:], "--json").json()
        client.close()
        shared.settle()
        Tool("purge", name).ok()
        events_until_seen(name)
    Tool("list", "--json").json()


@case("man-json-grow", "what grow tells programs has the keys that the manual names")
def grow():
    first, second = new_memfd(), Memory(64 * MIB)
    with Pool("g", first.path, "--quarantine-ms", "100"):
        told = Tool("grow", "g", second.path, "--json")
        assert told.code == 0, told
        assert not manual.undocumented("grow", json.loads(told.out))
        assert Tool("info", "g", "--json").json()["backings"] == 2
    first.close()
    second.close()


@case("man-keys", "each key that the manual names was in the JSON of a case of this suite")
def every_key():
    Tool("version", "--json").json()
    unseen = manual.unseen()
    # Only a fault of the module makes an account differ.
    unseen["check"] = {key for key in unseen.get("check", ()) if not key.startswith("items.")}
    unseen = {verb: missing for verb, missing in unseen.items() if missing}
    assert not unseen, unseen
