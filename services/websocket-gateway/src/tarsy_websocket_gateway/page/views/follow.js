// The page follows the end of what grows until a reader goes up, and again when they are there.

import { useEffect, useRef } from "../ui.js";

const NEAR_PIXELS = 120;

/** Returns a ref for an element at the end. `isOn`: whether it is followed before anybody was there.
 *  @param {import("../stores/session_store.js").SessionStore} store
 *  @param {boolean} isGrowing
 *  @param {boolean} isOn */
export function useFollow(store, isGrowing, isOn) {
  /** @type {{ current: HTMLElement | null }} */
  const end = useRef(null);
  const wasThere = useRef(isOn);
  useEffect(() => {
    let top = scrollY;
    /** It may have grown since it was scrolled: only who scrolls up leaves the end. */
    const look = () => {
      const isNear = isThere(end.current);
      if (isNear || scrollY < top) wasThere.current = isNear;
      top = scrollY;
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);
  useEffect(() => {
    if (!isGrowing || end.current === null) return;
    const grown = new ResizeObserver(() => {
      if (wasThere.current) end.current?.scrollIntoView({ block: "end" });
    });
    const whole = end.current.parentElement;
    if (whole !== null) grown.observe(whole);
    whole?.addEventListener("click", stay);
    return () => {
      grown.disconnect();
      whole?.removeEventListener("click", stay);
    };

    /** Whoever unfolds something at the end reads on there.
     *  @param {Event} event */
    function stay({ target }) {
      if (target instanceof Element && target.closest("summary") !== null) wasThere.current = false;
    }
  }, [isGrowing, store.session.status === null]);
  return end;
}

/** @param {HTMLElement | null} end */
function isThere(end) {
  if (end === null || scrollY === 0) return false;
  const { bottom } = end.getBoundingClientRect();
  return bottom > 0 && bottom < innerHeight + NEAR_PIXELS;
}

/** The same in a box that scrolls by itself. Its reader is at the end when it is shown. Returns a ref for the box, whose
 *  first child grows.
 *  @param {boolean} isOn */
export function useFollowInside(isOn) {
  /** @type {{ current: HTMLElement | null }} */
  const place = useRef(null);
  useEffect(() => {
    const box = place.current;
    if (!isOn || box === null) return;
    let wasThere = true;
    let top = box.scrollTop;
    /** It may have grown since it was scrolled: only who scrolls up leaves the end. */
    const look = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PIXELS;
      if (isNear || box.scrollTop < top) wasThere = isNear;
      top = box.scrollTop;
    };
    /** Whoever unfolds something reads on there.
     *  @param {Event} event */
    const stay = ({ target }) => {
      if (target instanceof Element && target.closest("summary") !== null) wasThere = false;
    };
    const grown = new ResizeObserver(() => {
      if (wasThere) box.scrollTop = box.scrollHeight;
    });
    if (box.firstElementChild !== null) grown.observe(box.firstElementChild);
    box.addEventListener("scroll", look, { passive: true });
    box.addEventListener("click", stay);
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", look);
      box.removeEventListener("click", stay);
    };
  }, [isOn]);
  return place;
}
