// Building elements. Text is always text: nothing in the page takes HTML.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Writes only what differs, so that a selection stays. */
export function write(node, text) {
  const only = node.firstChild;
  if (only === null || only.nodeType !== Node.TEXT_NODE || node.childNodes.length > 1) node.textContent = text;
  else if (text.startsWith(only.data)) only.appendData(text.slice(only.data.length));
  else only.data = text;
}

export function show(node, shown) {
  node.hidden = !shown;
}
