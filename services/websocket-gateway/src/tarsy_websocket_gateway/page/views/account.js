// The line in the head that names the caller, and leads to the login and out of it.

import { logOut } from "../net/api.js";
import { account, followAccount, mustLogIn } from "../stores/account_store.js";
import { html, useEffect, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
import { say } from "../words/say.js";
import { loginAddress } from "./login_card.js";

export function AccountLine() {
  useEffect(followAccount, []);
  const { name, role, canLogIn, notice } = account.value;
  if (mustLogIn() || (name === null && !canLogIn)) return html`<p id="account" class="account" hidden></p>`;
  return html`
    <p id="account" class="account">
      ${notice && html`<span role="status">${notice}</span>`}
      ${name === null ? html`<${LogInLink} />` : html`<span title=${say(TEXT.account.role, { role: role ?? "" })}>${name}</span>`}
      ${name !== null && canLogIn && html`<${LogOutButton} />`}
    </p>
  `;
}

function LogInLink() {
  return html`<a class="login" href=${loginAddress()}>${TEXT.account.logIn}</a>`;
}

function LogOutButton() {
  const isAsking = useSignal(false);
  const failure = useSignal("");

  async function leave() {
    isAsking.value = true;
    try {
      await logOut();
      location.reload();
    } catch (problem) {
      failure.value = say(TEXT.page.failure, { what: TEXT.account.notLoggedOut, why: messageOf(problem) });
      isAsking.value = false;
    }
  }

  return html`
    <button type="button" disabled=${isAsking.value} onClick=${leave}>${TEXT.account.logOut}</button>
    <span class="failure" role="status">${failure.value}</span>
  `;
}
