// What stands in the place of a view while nothing can be shown before a login.

import { path, query } from "../router.js";
import { account } from "../stores/account_store.js";
import { html, useEffect } from "../ui.js";
import { TEXT } from "../words/language.js";

export function LoginCard() {
  useEffect(() => {
    document.title = TEXT.account.documentTitle;
  }, []);
  return html`
    <section class="card login-card" aria-labelledby="log-in">
      <h1 id="log-in">${TEXT.account.logIn}</h1>
      <p class="notice" role="status">${account.value.notice || TEXT.page.loginNeeded}</p>
      <a class="button primary" href=${loginAddress()}>${TEXT.account.logIn}</a>
    </section>
  `;
}

/** It leads back here. */
export function loginAddress() {
  const search = query.value.toString();
  const here = search === "" ? path.value : `${path.value}?${search}`;
  return `/login?${new URLSearchParams({ to: here })}`;
}
