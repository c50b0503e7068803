// What the browser remembers for this page. A browser that remembers nothing is none that fails.

/** @param {string} name @returns {string | null} */
export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    // There is nothing to forget.
  }
}

/** @param {string} name @param {string} text */
export function remember(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {
    // It is there until the page is left.
  }
}
