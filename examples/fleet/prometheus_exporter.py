"""Numbers of the captures that a long-running host leaves in a folder, for Prometheus to fetch from http://HOST:PORT/metrics.

    prometheus_exporter.py FOLDER [--port 9464] [--every 30]

Each capture is read once, when its size has stopped to change. Totals only grow, as counters of Prometheus have to.
"""
import argparse
import collections
import http.server
import pathlib
import threading
import time

import profkit
from profkit import fleet


class Totals:
    """What all captures so far add up to."""

    def __init__(self):
        self.lock = threading.Lock()
        self.seconds = collections.Counter()  # by use and cause of the time of devices
        self.captures = collections.Counter()  # by how reading them ended
        self.seen, self.sizes = set(), {}

    def look(self, folder):
        for capture in fleet.captures(folder):
            is_done = self.sizes.get(capture.uri) == capture.size_bytes
            self.sizes[capture.uri] = capture.size_bytes
            # A folder without captures stands for itself.
            if is_done and capture.uri not in self.seen and capture.uri != str(folder):
                self.seen.add(capture.uri)
                self.read(capture.uri)

    def read(self, uri):
        seconds, ended = collections.Counter(), "whole"
        try:
            with profkit.open(uri, threads=1) as profile:
                for row in profile.table("device_time"):
                    seconds[row["use"], row["cause"] or ""] += row["time_ps"] / 1e12
        except (profkit.Error, OSError):
            ended = "with_error"  # what was intact counts
        with self.lock:
            self.seconds.update(seconds)
            self.captures[ended] += 1

    def text(self):
        with self.lock:
            lines = ["# HELP profkit_captures_total Captures that were read.", "# TYPE profkit_captures_total counter"]
            lines += [f'profkit_captures_total{{read="{ended}"}} {self.captures[ended]}' for ended in ("whole", "with_error")]
            lines += ["# HELP profkit_device_seconds_total Time of devices by what they did, and why they waited.",
                      "# TYPE profkit_device_seconds_total counter"]
            lines += [f'profkit_device_seconds_total{{use="{use}",cause="{cause}"}} {seconds!r}'
                      for (use, cause), seconds in sorted(self.seconds.items())]
        return "\n".join(lines) + "\n"


def handler_of(totals):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = totals.text().encode()
            self.send_response(200 if self.path == "/metrics" else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.end_headers()
            self.wfile.write(body if self.path == "/metrics" else b"see /metrics\n")

        def log_message(self, *_):
            pass
    return Handler


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--port", type=int, default=9464)
    options.add_argument("--every", type=float, default=30, help="seconds from look to look")
    given = options.parse_args()
    totals = Totals()
    server = http.server.ThreadingHTTPServer(("", given.port), handler_of(totals))
    print(f"http://localhost:{server.server_port}/metrics", flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        totals.look(given.folder)
        time.sleep(given.every)


if __name__ == "__main__":
    main()
