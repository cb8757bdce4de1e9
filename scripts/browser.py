"""A browser without a window (chromedriver) that draws pages and answers scripts, for prove-sight and browser-words.
Needs chromium and chromium-driver."""

import json
import subprocess
import time
import urllib.request

PORT = 9597


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", f"--port={PORT}"], stdout=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1600", "--hide-scrollbars"]
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": arguments}}}}
        for _ in range(50):
            try:
                session = self.ask("POST", "/session", wanted)
                break
            except OSError:
                time.sleep(0.2)
        else:
            raise SystemExit("chromedriver does not answer; is chromium-driver installed?")
        self.session = f"/session/{session['sessionId']}"
        self.version = session["capabilities"]["browserVersion"]
        self.process = session["capabilities"]["goog:processID"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, method=method)
        return json.load(urllib.request.urlopen(request, timeout=600))["value"]

    def open(self, address):
        self.ask("POST", f"{self.session}/url", {"url": address})

    def run(self, script, *values):
        return self.ask("POST", f"{self.session}/execute/sync", {"script": script, "args": list(values)})

    def close(self):
        self.ask("DELETE", self.session)
        self.driver.kill()
