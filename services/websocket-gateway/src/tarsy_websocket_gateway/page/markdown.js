// Markdown as elements. The library only reads it; every element is made here, from a list of those that are harmless.
// HTML in the text is text.

import MarkdownIt from "./vendor/markdown-it.mjs";
import { element } from "./elements.js";

const MOST_CHARACTERS = 200_000;
const MOST_TOKENS = 20_000;
const TAGS = new Set("p ul ol li blockquote table thead tbody tr th td strong em s h1 h2 h3 h4 h5 h6".split(" "));
const parser = new MarkdownIt({ html: false, linkify: false });

/** What is too large to be worth it is shown as it is. */
export function markdown(text) {
  const root = element("div", { class: "markdown" });
  const tokens = text.length > MOST_CHARACTERS ? null : parser.parse(text, {});
  if (tokens === null || weight(tokens) > MOST_TOKENS) {
    root.append(element("pre", { class: "text" }, text));
    return root;
  }
  const open = [root];
  for (const token of tokens) place(token, open);
  return root;
}

function weight(tokens) {
  return tokens.reduce((sum, token) => sum + 1 + (token.children?.length ?? 0), 0);
}

function place(token, open) {
  const parent = open.at(-1);
  if (token.type === "inline") {
    const inner = [parent];
    for (const child of token.children) place(child, inner);
  } else if (token.hidden) {
    return;
  } else if (token.nesting === 1) {
    const node = container(token);
    parent.append(node);
    open.push(node);
  } else if (token.nesting === -1) {
    open.pop();
  } else {
    parent.append(leaf(token));
  }
}

function container(token) {
  if (token.type === "link_open") return link(token.attrGet("href"), token.attrGet("title"));
  if (token.type === "heading_open") return element(headingTag(token.tag));
  if (!TAGS.has(token.tag)) return element("span");
  const node = element(token.tag);
  const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : 1;
  if (Number.isSafeInteger(start) && start !== 1) node.setAttribute("start", String(start));
  if (token.attrGet("style") === "text-align:right") node.setAttribute("class", "right");
  return node;
}

/** Under the headings of the page: models begin with the first level as often as with the second. */
function headingTag(tag) {
  return `h${Math.min(6, Math.max(3, Number(tag.slice(1)) + 1))}`;
}

function leaf(token) {
  switch (token.type) {
    case "softbreak":
      return "\n";
    case "hardbreak":
      return element("br");
    case "hr":
      return element("hr");
    case "code_inline":
      return element("code", {}, token.content);
    case "fence":
    case "code_block":
      return element("pre", { tabindex: "0" }, element("code", {}, token.content));
    case "image":
      return image(token);
    default:
      return token.content;
  }
}

/** Pictures of others are not fetched: whoever wants one follows the link. */
function image(token) {
  const node = link(token.attrGet("src"), null);
  node.append(`picture: ${token.content || token.attrGet("src")}`);
  return node;
}

function link(address, title) {
  if (!isWeb(address)) return element("span");
  return element("a", {
    href: address,
    title: title ?? address,
    rel: "noopener noreferrer nofollow",
    target: "_blank",
  });
}

function isWeb(address) {
  return URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
}
