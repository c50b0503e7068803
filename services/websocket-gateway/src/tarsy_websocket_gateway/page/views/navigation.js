// The places of the page. What the caller is known not to get into is left out.

import { path } from "../router.js";
import { mayNot } from "../stores/rights.js";
import { html } from "../ui.js";
import { TEXT } from "../words/language.js";

const PLACES = [
  { href: "/", name: TEXT.navigation.list, pattern: /^\/(?:sessions\/.*)?$/ },
  { href: "/review", name: TEXT.navigation.review, pattern: /^\/review\/?$/ },
  { href: "/submit", name: TEXT.navigation.submit, pattern: /^\/submit\/?$/ },
  { href: "/system", name: TEXT.navigation.system, pattern: /^\/(?:system|servers)\/?$/ },
  { href: "/memories", name: TEXT.navigation.memories, pattern: /^\/memories\/?$/ },
  { href: "/usage", name: TEXT.navigation.usage, pattern: /^\/usage\/?$/ },
];

export function Navigation() {
  const maySubmit = !mayNot("responder");
  return html`
    <nav class="places" aria-label=${TEXT.page.name}>
      ${PLACES.filter(({ href }) => href !== "/submit" || maySubmit).map(
        ({ href, name, pattern }) => html`
          <a key=${href} href=${href} data-view aria-current=${pattern.test(path.value) ? "page" : undefined}>${name}</a>
        `,
      )}
    </nav>
  `;
}
