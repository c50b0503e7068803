import { App } from "./app.js";
import { html, render } from "./ui.js";

const page = /** @type {HTMLElement} */ (document.getElementById("page"));
page.replaceChildren();
render(html`<${App} />`, page);
