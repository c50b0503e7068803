// The frame of every view: the head with the state of all, and the view of the address.

import { path } from "./router.js";
import { routeOf } from "./routes.js";
import { mustLogIn } from "./stores/account_store.js";
import { html, useEffect, useSignal } from "./ui.js";
import { AccountLine } from "./views/account.js";
import { ConnectionLine } from "./views/connection.js";
import { KeysHelp } from "./views/keys_help.js";
import { LoginCard } from "./views/login_card.js";
import { Navigation } from "./views/navigation.js";
import { ServersLine } from "./views/servers_line.js";
import { ThemeSwitch } from "./views/theme_switch.js";
import { TEXT } from "./words/language.js";

export function App() {
  return html`
    <a class="skip" href="#content">${TEXT.page.skip}</a>
    <header class="top">
      <a class="brand" href="/" data-view>${TEXT.page.name}</a>
      <${Navigation} />
      <div class="state-of-all">
        <${ServersLine} />
        <${ConnectionLine} />
        <${AccountLine} />
        <${ThemeSwitch} />
      </div>
    </header>
    <main id="content" tabindex="-1">
      ${mustLogIn() ? html`<${LoginCard} />` : html`<${CurrentView} key=${path.value} address=${path.value} />`}
    </main>
    <${KeysHelp} />
  `;
}

/** @param {{ address: string }} props */
function CurrentView({ address }) {
  /** @type {import("@preact/signals").Signal<import("./routes.js").View | null>} */
  const view = useSignal(null);
  const failure = useSignal("");
  const { load, id } = routeOf(address);
  useEffect(() => {
    load().then(
      (found) => {
        view.value = found;
      },
      () => {
        failure.value = TEXT.page.notLoaded;
      },
    );
  }, []);
  const View = view.value;
  if (failure.value !== "") return html`<p class="notice" role="status">${failure.value}</p>`;
  return View === null ? html`<p class="quiet">${TEXT.page.loading}</p>` : html`<${View} id=${id} />`;
}
