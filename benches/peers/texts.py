#!/usr/bin/env python3
"""texts.py CORPORA_DIR OUT_DIR CORPUS… [--peers NAME,…]: the texts that Python extractors find.

Writes OUT_DIR/<corpus>/<peer>.jsonl, one `{"id", "text", "seconds"}` a page (CPU seconds of this
process; `error` where the extractor raised one), with `title`, `published` and `authors` where the
extractor says them (not timed). A peer that is not installed is left out and named.
Pages are decoded as the corpus states (`encoding` of gold.jsonl), so that extraction alone is
compared. A file that is complete is not written again.
"""
import argparse
import gzip
import importlib
import json
import os
import sys
import time


def trafilatura(html, url, precision=False):
    from trafilatura import extract

    return extract(html, url=url, include_comments=False, favor_precision=precision)


def trafilatura_metadata(html, url):
    from trafilatura.metadata import extract_metadata
    from trafilatura.utils import load_html

    found = extract_metadata(load_html(html), url)
    authors = [name for name in (found.author or "").split("; ") if name]
    return {"title": found.title, "published": found.date, "authors": authors}


def readability_lxml(html, url):
    from lxml import html as tree
    from readability import Document

    summary = Document(html).summary(html_partial=True)
    node = tree.fromstring(summary)
    for block in node.iter("p", "div", "li", "br", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "td", "blockquote", "pre"):
        block.tail = "\n" + (block.tail or "")
    return node.text_content()


def newspaper(html, url):
    from newspaper import Article

    article = Article(url or "http://localhost/", fetch_images=False)
    article.download(input_html=html)
    article.parse()
    return article.text


def resiliparse(html, url):
    from resiliparse.extract.html2text import extract_plain_text

    return extract_plain_text(html, main_content=True, alt_texts=False, links=False, form_fields=False, noscript=False)


PEERS = {
    "trafilatura": ("trafilatura", trafilatura),
    "trafilatura-precision": ("trafilatura", lambda html, url: trafilatura(html, url, True)),
    "readability-lxml": ("readability", readability_lxml),
    "newspaper4k": ("newspaper", newspaper),
    "resiliparse": ("resiliparse", resiliparse),
}

METADATA = {"trafilatura": trafilatura_metadata}


def pages(folder):
    """id, decoded page and URL of every page that has a gold text and is an article"""
    with open(os.path.join(folder, "gold.jsonl"), encoding="utf-8") as gold:
        rows = [json.loads(line) for line in gold if line.strip()]
    for row in sorted(rows, key=lambda r: r["id"]):
        if row.get("suspect") or row.get("page_type", "article") != "article" or not (row.get("text") or "").strip():
            continue
        path = os.path.join(folder, "pages", row["id"] + ".html")
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
        else:
            with gzip.open(path + ".gz", "rb") as file:
                data = file.read()
        encoding = (row.get("encoding") or "utf-8").rstrip("?")
        # lxml refuses text that carries an XML declaration of its encoding.
        html = data.decode(encoding, "replace").lstrip("\ufeff \t\r\n")
        if html.startswith("<?xml"):
            html = html[html.find("?>") + 2 :]
        yield row["id"], html, row.get("url")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("corpora")
    arguments.add_argument("out")
    arguments.add_argument("names", nargs="+", metavar="CORPUS")
    arguments.add_argument("--peers", default=",".join(PEERS))
    a = arguments.parse_args()
    peers = []
    for name in a.peers.split(","):
        module, run = PEERS[name]
        try:
            importlib.import_module(module)
            peers.append((name, run))
        except ImportError as error:
            print(f"{name} is not installed: {error}", file=sys.stderr)
    for corpus in a.names:
        folder = os.path.join(a.out, corpus)
        os.makedirs(folder, exist_ok=True)
        todo = [p for p in peers if not os.path.exists(os.path.join(folder, p[0] + ".jsonl"))]
        for name, run in todo:
            path = os.path.join(folder, name + ".jsonl")
            count, empty, spent = 0, 0, 0.0
            with open(path + ".part", "w", encoding="utf-8") as out:
                for page, html, url in pages(os.path.join(a.corpora, corpus)):
                    began = time.process_time()
                    line = {"id": page}
                    try:
                        line["text"] = (run(html, url) or "").encode("utf-8", "replace").decode("utf-8")
                    except Exception as error:  # each peer has its own kinds
                        line["text"] = ""
                        line["error"] = f"{type(error).__name__}: {error}"[:200]
                    line["seconds"] = round(time.process_time() - began, 6)
                    if name in METADATA:
                        try:
                            line.update(METADATA[name](html, url))
                        except Exception as error:
                            line["metadata_error"] = f"{type(error).__name__}: {error}"[:200]
                    count, empty, spent = count + 1, empty + (not line["text"].strip()), spent + line["seconds"]
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
            os.rename(path + ".part", path)
            print(f"{corpus} {name}: {count} pages, {empty} empty, {spent:.1f} CPU s", flush=True)


if __name__ == "__main__":
    main()
