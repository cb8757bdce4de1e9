// How this browser draws the page: each text node and picture with the computed style and the place of what it
// stands in. When the page is loaded, it is replaced by what was found, as JSON in plain ASCII.
addEventListener("load", async () => {
  const PROPERTIES = ["display", "position", "float", "visibility", "opacity", "cursor", "color", "font-family",
    "font-size", "font-style", "font-weight", "font-variant-caps", "line-height", "letter-spacing", "text-align",
    "text-decoration-line", "text-transform", "text-indent", "white-space-collapse", "vertical-align",
    "list-style-type", "margin-top", "margin-bottom", "padding-top", "padding-left", "border-top-width",
    "border-bottom-width", "border-left-width", "border-bottom-style", "border-top-left-radius", "z-index",
    "overflow-x", "max-width"];
  const PICTURES = new Set(["IMG", "VIDEO", "IFRAME"]);
  const MUTE = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TITLE", "TEXTAREA", "SELECT"]);
  const known = new Map();
  const look = (element) => {
    if (known.has(element)) return known.get(element);
    const style = getComputedStyle(element);
    const css = {};
    for (const property of PROPERTIES) css[property] = style.getPropertyValue(property);
    // What stands behind the text is that of the nearest element that has any.
    for (let at = element; at; at = at.parentElement) {
      const behind = getComputedStyle(at).backgroundColor;
      if (behind !== "rgba(0, 0, 0, 0)") {
        css["background-color"] = behind;
        break;
      }
    }
    known.set(element, css);
    return css;
  };
  const place = (of) => {
    const box = of.getBoundingClientRect();
    return [box.left + scrollX, box.top + scrollY, box.width, box.height].map((n) => Math.round(n * 10) / 10);
  };
  const items = [];
  const range = document.createRange();
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (PICTURES.has(node.tagName)) {
        items.push({ text: `<${node.tagName.toLowerCase()}>`, look: { box: place(node), css: look(node) } });
      }
      continue;
    }
    const around = node.parentElement;
    if (!around || MUTE.has(around.tagName) || node.data.trim() === "") continue;
    range.selectNodeContents(node);
    items.push({ text: node.data, look: { box: place(range), css: look(around) } });
  }
  const asked = [...document.querySelectorAll("link[rel~=stylesheet i]")].filter((link) => !/alternate/i.test(link.rel));
  // Whether a sheet has come is told to those who ask for it alone.
  const came = await Promise.all(asked.map((link) => new Promise((done) => {
    const again = document.createElement("link");
    again.onload = () => done(true);
    again.onerror = () => done(false);
    again.media = "not all";
    again.rel = "stylesheet";
    again.href = link.href;
    document.head.append(again);
  })));
  const found = {
    sheets: asked.length,
    missing: came.filter((good) => !good).length,
    width: document.documentElement.scrollWidth,
    height: document.documentElement.scrollHeight,
    items,
  };
  const ascii = JSON.stringify(found).replace(/[<>&\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const sheet = document.createElement("pre");
  sheet.id = "drawn";
  sheet.textContent = ascii;
  const body = document.createElement("body");
  body.append(sheet);
  document.documentElement.replaceChildren(body);
});
