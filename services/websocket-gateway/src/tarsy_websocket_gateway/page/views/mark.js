// The item that the address names, or that a citation leads to: shown wherever it stands, scrolled to, and marked.

import { isOfReply } from "../state/chat_state.js";
import { openChat } from "../stores/rail.js";
import { chooseExtent, extent } from "../stores/choice_store.js";
import { useEffect, useSignal } from "../ui.js";

const PREFIX = "#event-";

/** @typedef {import("../stores/session_store.js").SessionStore} Store */

/** @param {Store} store */
export function useMark(store) {
  /** The id that is looked for; empty once it was found.
   *  @type {import("@preact/signals").Signal<string>} */
  const wanted = useSignal(named());
  useEffect(() => {
    const look = () => {
      wanted.value = named();
    };
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  useEffect(() => {
    if (wanted.value === "" || !show(store, wanted.value)) return;
    const id = wanted.value;
    wanted.value = "";
    requestAnimationFrame(() => mark(id));
  }, [wanted.value, store.version.value, store.story.count.value]);
  const followed = store.followed.value;
  useEffect(() => {
    if (followed === null || !show(store, followed.id)) return;
    store.followed.value = null;
    requestAnimationFrame(() => open(followed.id));
  }, [followed, store.version.value, store.story.count.value]);
}

function named() {
  return location.hash.startsWith(PREFIX) ? decodeURIComponent(location.hash.slice(PREFIX.length)) : "";
}

/** Whether it stands somewhere by now.
 *  @param {Store} store
 *  @param {string} id */
function show(store, id) {
  const item = store.session.items.get(id);
  const place = document.getElementById(`event-${id}`);
  if (item === undefined || place === null) return false;
  if (isOfReply(store.session, item)) openChat();
  if (place.parentElement?.closest("[hidden]")) store.chosenPart.value = "";
  const isLeftOut =
    extent.value === "conclusions" ? place.dataset.level !== "conclusion" : place.dataset.level === "detail";
  if (extent.value !== "everything" && isLeftOut) chooseExtent("everything");
  return true;
}

/** @param {string} id */
function mark(id) {
  for (const other of document.querySelectorAll(".item[data-marked]")) other.removeAttribute("data-marked");
  const place = document.getElementById(`event-${id}`);
  place?.setAttribute("data-marked", "");
  place?.scrollIntoView({ block: "center" });
}

/** Marks the call and unfolds it; who uses keys goes on from there.
 *  @param {string} id */
function open(id) {
  const call = document.getElementById(`event-${id}`)?.querySelector("details");
  if (call) call.open = true;
  call?.querySelector("summary")?.focus({ preventScroll: true });
  mark(id);
}
