// The rows of the list in their sections. Only what is near the viewport is in the document; each row has its height.

import { addKeys } from "../keys.js";
import { wayBack } from "../router.js";
import { layoutOf, rowBeside, shiftOf, topOf, visibleOf } from "../state/list_layout.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { ListSection } from "./list_section.js";
import { useSizes } from "./list_sizes.js";

/** @typedef {import("../stores/sessions_store.js").SessionsStore} SessionsStore */

const OVERSCAN = 600;
const STEP = 200;
/** So far from its end the list asks for older ones. */
const AHEAD = 2000;

/** @param {{ store: SessionsStore, chosen: import("../stores/chosen.js").Chosen | null }} props */
export function ListSections({ store, chosen }) {
  const root = useRef(/** @type {HTMLDivElement | null} */ (null));
  const near = useSignal({ from: -OVERSCAN, until: innerHeight + OVERSCAN });
  const current = useSignal(/** @type {string | null} */ (null));
  const sizes = useSizes();
  const layout = layoutOf(store.sections.value, sizes);
  const focused = focusedId(root.current);
  const known = useRef({ layout, toFocus: /** @type {string | null} */ (null) });

  function measure() {
    if (root.current === null) return;
    const above = -root.current.getBoundingClientRect().top;
    const from = Math.floor(above / STEP) * STEP - OVERSCAN;
    const until = from + innerHeight + 2 * OVERSCAN + STEP;
    if (from !== near.value.from || until !== near.value.until) near.value = { from, until };
    if (above + innerHeight + AHEAD > known.current.layout.height) store.readMore();
  }

  /** @param {number} steps */
  function move(steps) {
    // The row of the key before may not be drawn yet.
    const from = known.current.toFocus ?? focusedId(root.current) ?? current.value;
    const id = rowBeside(known.current.layout, from, steps);
    if (id === null || root.current === null) return;
    known.current.toFocus = id;
    current.value = id;
    reveal(root.current, topOf(known.current.layout, id) ?? 0, sizes.row + sizes.head);
    measure();
    focusWanted();
  }

  function focusWanted() {
    const { toFocus } = known.current;
    if (toFocus !== null && focusRow(root.current, toFocus)) known.current.toFocus = null;
  }

  useLayoutEffect(() => goBackTo(root.current, known.current), []);

  useEffect(() => {
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    const removeKeys = addKeys([
      { key: "j", name: TEXT.keys.next, act: () => move(1) },
      { key: "k", name: TEXT.keys.before, act: () => move(-1) },
      { key: "x", name: TEXT.keys.choose, act: () => chooseFocused(root.current, chosen) },
    ]);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
      removeKeys();
    };
  }, [chosen, sizes]);

  useLayoutEffect(() => {
    const above = root.current === null ? 0 : -root.current.getBoundingClientRect().top;
    // What somebody reads stays where it is when something comes above it.
    const shift = above > sizes.head ? shiftOf(known.current.layout, layout, above) : 0;
    known.current.layout = layout;
    if (shift !== 0) scrollBy(0, shift);
    const isLost = focused !== null && document.activeElement === document.body;
    if (isLost && known.current.toFocus === null) focusRow(root.current, focused);
    focusWanted();
    measure();
  });

  const shown = visibleOf(layout, near.value.from, near.value.until, current.value);
  return html`
    <div class="sessions" ref=${root} style=${{ height: `${layout.height}px` }}
         onFocusIn=${(/** @type {FocusEvent} */ event) => {
           current.value = idOf(event.target);
           known.current.toFocus = null;
         }}>
      ${shown.map(
        ({ box, rows }) => html`
        <${ListSection} key=${box.section.key} box=${box} rows=${rows} isLast=${box === layout.boxes.at(-1)} store=${store} chosen=${chosen} />
      `,
      )}
    </div>
  `;
}

/** Who comes back stands where they stood, on the row that they come from.
 *  @param {HTMLElement | null} root @param {{ toFocus: string | null }} known */
function goBackTo(root, known) {
  const back = wayBack();
  if (back === null || root === null) return;
  scrollTo({ top: back.top });
  const id = decodeURIComponent(back.from.replace(/^\/sessions\//, ""));
  if (!focusRow(root, id)) known.toFocus = id;
}

/** @param {EventTarget | null} node */
function idOf(node) {
  return (node instanceof Element && node.closest(".listed")?.getAttribute("data-id")) || null;
}

/** @param {HTMLElement | null} root */
function focusedId(root) {
  return root?.contains(document.activeElement) ? idOf(document.activeElement) : null;
}

/** Whether the row is in the document. @param {HTMLElement | null} root @param {string} id */
function focusRow(root, id) {
  const link = root?.querySelector(`[data-id="${CSS.escape(id)}"] a`);
  if (!(link instanceof HTMLElement)) return false;
  link.focus({ preventScroll: true });
  return true;
}

/** @param {HTMLElement} root @param {number} top of the row in the list @param {number} margin */
function reveal(root, top, margin) {
  const y = root.getBoundingClientRect().top + top;
  if (y < margin) scrollBy(0, y - margin);
  if (y + 2 * margin > innerHeight) scrollBy(0, y + 2 * margin - innerHeight);
}

/** @param {HTMLElement | null} root @param {import("../stores/chosen.js").Chosen | null} chosen */
function chooseFocused(root, chosen) {
  const id = focusedId(root);
  if (id !== null) chosen?.toggle(id);
}
