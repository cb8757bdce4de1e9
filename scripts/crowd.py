"""A crowd at the HTTP server of a crawler of its own; prove-door keeps what it prints."""

import asyncio
import multiprocessing
import os
import queue
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

BINARY, SECONDS = sys.argv[1], float(sys.argv[2])
TRICKLING, IDLE, ROWDY = 200, 2_000, 20
LIMIT = 1.0  # seconds within which health is answered
GROWTH = 64  # MiB by which memory may grow

counts = {"trickling": 0, "idle": 0, "rowdy": 0}


def memory(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


async def again(kind, port, talk, end):
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
            continue
        counts[kind] += 1
        try:
            await talk(reader, writer, end)
        except OSError:
            pass
        writer.close()


async def trickle(reader, writer, end):
    for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 10_000:
        if time.monotonic() > end or reader.at_eof():
            return
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.5)


async def idle(reader, writer, end):
    try:
        await asyncio.wait_for(reader.read(1), max(0, end - time.monotonic()))
    except TimeoutError:
        pass
    # Whoever was sent away comes again, not at once.
    await asyncio.sleep(min(5, max(0, end - time.monotonic())))


async def rowdy(reader, writer, end):
    writer.write(random.choice([
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(5_000)) + b"\r\n",
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999999\r\n\r\n" + b"a" * 100_000,
        b"GET /api/v1/articles?" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        random.randbytes(50_000),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(500),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" * 50,
    ]))
    await writer.drain()
    try:
        await asyncio.wait_for(reader.read(), 2)
    except TimeoutError:
        pass


def health(port, end, took):
    """A process of its own: the crowd's work is not counted."""
    while time.monotonic() < end:
        began, answer = time.monotonic(), b""
        try:
            with socket.create_connection(("127.0.0.1", port), 10) as stream:
                stream.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                while part := stream.recv(4096):
                    answer += part
        except OSError:
            pass
        took.put(time.monotonic() - began if answer.endswith(b"ok\n") else float("inf"))
        time.sleep(0.2)


async def crowd(port, pid):
    quiet = memory(pid)
    end = time.monotonic() + SECONDS
    took, most = multiprocessing.Queue(), [quiet]
    asking = multiprocessing.Process(target=health, args=(port, end, took))
    asking.start()
    tasks = [again("trickling", port, trickle, end) for _ in range(TRICKLING)]
    tasks += [again("idle", port, idle, end) for _ in range(IDLE)]
    tasks += [again("rowdy", port, rowdy, end) for _ in range(ROWDY)]

    async def watch():
        while time.monotonic() < end:
            most.append(memory(pid))
            await asyncio.sleep(0.2)

    await asyncio.gather(*tasks, watch(), return_exceptions=True)
    answers = []
    while asking.is_alive() or not took.empty():
        try:
            answers.append(took.get(timeout=0.5))
        except queue.Empty:
            pass
    return quiet, max(most), answers


def main():
    with tempfile.TemporaryDirectory() as place:
        daemon = subprocess.Popen(
            [
                os.path.abspath(BINARY), "run",
                # It asks nobody: there are no feeds.
                "--set", 'guard.allow=["127.0.0.0/8"]', "--set", 'listen="127.0.0.1:0"', *sys.argv[3:],
            ],
            cwd=place, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        try:
            for line in daemon.stderr:
                if found := re.search(r"dashboard on http://127.0.0.1:(\d+)/", line):
                    break
            port = int(found.group(1))
            time.sleep(1)
            quiet, most, took = asyncio.run(crowd(port, daemon.pid))
        finally:
            daemon.terminate()
            daemon.wait()
    took.sort()
    late = sum(1 for t in took if t > LIMIT)
    grown = most - quiet
    held = not late and grown <= GROWTH and took
    print(f"- verdict: {'it holds' if held else 'FAILED'}")
    print()
    print("| | |")
    print("|---|---:|")
    for kind, n in counts.items():
        print(f"| connections opened, {kind} | {n:,} |")
    print(f"| questions about health | {len(took):,} |")
    print(f"| not answered within {LIMIT:.0f} s | {late:,} |")
    print(f"| median answer | {took[len(took) // 2] * 1000:.0f} ms |")
    print(f"| slowest answer | {took[-1] * 1000:.0f} ms |")
    print(f"| memory before the crowd | {quiet:.0f} MiB |")
    print(f"| most memory (at most {GROWTH} MiB more) | {most:.0f} MiB |")


main()
