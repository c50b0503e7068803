// The places of the page. What the caller is known not to get into is left out.

import { path } from "../router.js";
import { mayNot } from "../stores/rights.js";
import { html } from "../ui.js";

const PLACES = [
  { href: "/", name: "Sessions", pattern: /^\/(?:sessions\/.*)?$/ },
  { href: "/submit", name: "Submit", pattern: /^\/submit\/?$/ },
  { href: "/system", name: "System", pattern: /^\/(?:system|servers)\/?$/ },
  { href: "/usage", name: "Usage", pattern: /^\/usage\/?$/ },
];

export function Navigation() {
  const maySubmit = !mayNot("responder");
  return html`
    <nav class="places" aria-label="TARSy">
      ${PLACES.filter(({ href }) => href !== "/submit" || maySubmit).map(
        ({ href, name, pattern }) => html`
          <a key=${href} href=${href} data-view aria-current=${pattern.test(path.value) ? "page" : undefined}>${name}</a>
        `,
      )}
    </nav>
  `;
}
