"""News outlets on loopback that publish an article every few seconds, until the process is ended; prove-readers and
prove-memory crawl them. Writes the address of each one's feed, a line each.

usage: outlets.py OUTLETS SECONDS [FILE with the words of their articles, a line each]"""
import http.server, random, re, sys, threading, time

OUTLETS, EVERY = int(sys.argv[1]), float(sys.argv[2])
if len(sys.argv) > 3:
    with open(sys.argv[3]) as file:
        WORDS = file.read().split()
else:
    draw = random.Random(1)
    WORDS = ["".join(draw.choices("abcdefghilmnoprstu", k=draw.randint(2, 9))) for _ in range(5_000)]
BEGAN = time.time()


class Outlet(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        now = int((time.time() - BEGAN) / EVERY) + 1
        home = f"http://{self.server.server_address[0]}:{self.server.server_address[1]}"
        at = re.fullmatch(r"/(\d+)\.html", self.path)
        kind, status = "text/html; charset=utf-8", 200
        if self.path == "/feed.xml":
            kind = "application/rss+xml"
            date = lambda n: time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(BEGAN + n * EVERY))
            items = "".join(f"<item><title>Story {n}</title><link>{home}/{n}.html</link><pubDate>{date(n)}</pubDate></item>"
                            for n in range(max(0, now - 30), now))
            body = f'<rss version="2.0"><channel><title>Press</title>{items}</channel></rss>'
        elif at and int(at.group(1)) < now:
            draw = random.Random(home + self.path)
            text = lambda most: " ".join(draw.choices(WORDS, k=most)).capitalize() + "."
            parts = "".join(f"<p>{text(60)}</p>" for _ in range(6))
            links = "".join(f'<li><a href="/{n}.html">{text(6)}</a></li>' for n in range(20))
            body = (f"<!doctype html><html lang=en><head><title>{text(8)}</title></head><body><nav><ul>{links}</ul></nav>"
                    f"<main><article><h1>{text(8)}</h1>{parts}</article></main><aside><ul>{links}</ul></aside></body></html>")
        else:
            kind, status, body = "text/plain", 404, "nothing here"
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


servers = [http.server.ThreadingHTTPServer((f"127.0.0.{n + 2}", 0), Outlet) for n in range(OUTLETS)]
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://{server.server_address[0]}:{server.server_address[1]}/feed.xml", flush=True)
threading.Event().wait()
