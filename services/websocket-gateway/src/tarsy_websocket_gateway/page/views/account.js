// The line in the head that says who one is, and leads to the login and out of it. The page sees no credential: the
// browser sends its cookie by itself.

import { UNKNOWN_CALLER, canLogIn, logOut, readMe } from "../api.js";
import { element, show, write } from "../elements.js";

export function accountLine(node) {
  let isUnknown = false;

  function draw(...parts) {
    node.replaceChildren(...parts);
    show(node, parts.length > 0);
  }

  /** Where nobody is authenticated there is no role, and the name says nothing. */
  async function look() {
    try {
      const { name, role } = await readMe();
      isUnknown = false;
      const leaving = role !== null && (await canLogIn()) ? logOutButton() : [];
      draw(...(role === null ? [] : [element("span", { title: `Role: ${role}` }, name), ...leaving]));
    } catch (problem) {
      if (problem.status !== 401) draw();
    }
  }

  async function invite() {
    isUnknown = true;
    const isPossible = await canLogIn();
    if (isUnknown) draw(...(isPossible ? [logInLink()] : []));
  }

  addEventListener(UNKNOWN_CALLER, invite);
  // Somebody may have logged in elsewhere meanwhile.
  document.addEventListener("visibilitychange", () => {
    if (isUnknown && !document.hidden) look();
  });
  look();
}

function logInLink() {
  const here = `${location.pathname}${location.search}`;
  return element("a", { class: "login", href: `/login?${new URLSearchParams({ to: here })}` }, "Log in");
}

function logOutButton() {
  const button = element("button", { type: "button" }, "Log out");
  const failure = element("span", { class: "failure", role: "status" });
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await logOut();
      location.reload();
    } catch (problem) {
      write(failure, `Not logged out: ${problem.message}`);
      button.disabled = false;
    }
  });
  return [button, failure];
}
