// Markdown as a tree of elements. The library only reads it; every element is chosen here, from a list of those that
// are harmless. HTML in the text is text. A citation is one before anything else: no link of the text's has its form.

import { citationAt } from "./state/citations.js";
import { isWeb } from "./state/web_address.js";
import { html } from "./ui.js";
import MarkdownIt from "./vendor/markdown-it.mjs";
import { Citation } from "./views/citation.js";
import { CodeBlock } from "./views/code_block.js";
import { TEXT } from "./words/language.js";
import { say } from "./words/say.js";

/** @typedef {import("preact").ComponentChildren} Children
 *  @typedef {object} Token
 *  @property {string} type
 *  @property {string} tag
 *  @property {string} content
 *  @property {-1 | 0 | 1} nesting
 *  @property {boolean} hidden
 *  @property {Token[] | null} children
 *  @property {(name: string) => string | null} attrGet */

const MOST_CHARACTERS = 200_000;
const MOST_TOKENS = 20_000;
const TAGS = new Set("p ul ol li blockquote table thead tbody tr th td strong em s h1 h2 h3 h4 h5 h6".split(" "));
const parser = new MarkdownIt({ html: false, linkify: false });
parser.inline.ruler.before("link", "citation", readCitation);

/** The elements of a text; null for one that is too large to be worth it.
 *  @param {string} text
 *  @returns {Children[] | null} */
export function markdown(text) {
  if (text.length > MOST_CHARACTERS) return null;
  /** @type {Token[]} */
  const tokens = parser.parse(text, {});
  return weight(tokens) > MOST_TOKENS ? null : treeOf(tokens);
}

/** @param {import("./vendor/markdown-it.mjs").InlineState} state
 *  @param {boolean} isSilent */
function readCitation(state, isSilent) {
  const citation = citationAt(state.src, state.pos);
  if (citation === "") return false;
  if (!isSilent) state.push("citation", "", 0).content = citation;
  state.pos += citation.length;
  return true;
}

/** @param {Token[]} tokens */
function weight(tokens) {
  return tokens.reduce((sum, token) => sum + 1 + (token.children?.length ?? 0), 0);
}

/** @param {Token[]} tokens
 *  @returns {Children[]} */
function treeOf(tokens) {
  /** @type {Children[]} */
  const whole = [];
  /** @type {{ token: Token | null, inside: Children[] }[]} */
  const open = [{ token: null, inside: whole }];
  for (const token of tokens) {
    const parent = open.at(-1)?.inside ?? whole;
    if (token.type === "inline") parent.push(...treeOf(token.children ?? []));
    else if (token.hidden) continue;
    else if (token.nesting === 1) open.push({ token, inside: [] });
    else if (token.nesting === 0) parent.push(leaf(token));
    else {
      const closed = open.pop();
      if (closed?.token) (open.at(-1)?.inside ?? whole).push(container(closed.token, closed.inside));
    }
  }
  return whole;
}

/** @param {Token} token
 *  @param {Children[]} inside */
function container(token, inside) {
  if (token.type === "link_open") return link(token.attrGet("href"), token.attrGet("title"), inside);
  if (token.type === "heading_open") return html`<${headingTag(token.tag)}>${inside}<//>`;
  if (!TAGS.has(token.tag)) return html`<span>${inside}</span>`;
  const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : 1;
  const isNumbered = Number.isSafeInteger(start) && start !== 1;
  // It scrolls by itself, also with keys.
  if (token.tag === "table") return html`<table tabindex="0">${inside}</table>`;
  const isRight = token.attrGet("style") === "text-align:right";
  return html`<${token.tag} start=${isNumbered ? start : undefined} class=${isRight ? "right" : undefined}>${inside}<//>`;
}

/** Under the headings of the page: models begin with the first level as often as with the second.
 *  @param {string} tag */
function headingTag(tag) {
  return `h${Math.min(6, Math.max(3, Number(tag.slice(1)) + 1))}`;
}

/** @param {Token} token
 *  @returns {Children} */
function leaf(token) {
  switch (token.type) {
    case "softbreak":
      return "\n";
    case "hardbreak":
      return html`<br />`;
    case "hr":
      return html`<hr />`;
    case "code_inline":
      return html`<code>${token.content}</code>`;
    case "fence":
    case "code_block":
      return html`<${CodeBlock} text=${token.content} />`;
    case "citation":
      return html`<${Citation} text=${token.content} />`;
    case "image":
      return image(token);
    default:
      return token.content;
  }
}

/** Pictures of others are not fetched: whoever wants one follows the link.
 *  @param {Token} token */
function image(token) {
  const source = token.attrGet("src");
  return link(source, null, [say(TEXT.story.picture, { name: token.content || (source ?? "") })]);
}

/** @param {string | null} address
 *  @param {string | null} title
 *  @param {Children[]} inside */
function link(address, title, inside) {
  if (address === null || !isWeb(address)) return html`<span>${inside}</span>`;
  return html`<a
    href=${address} title=${title ?? address} rel="noopener noreferrer nofollow" target="_blank"
  >${inside}</a>`;
}
