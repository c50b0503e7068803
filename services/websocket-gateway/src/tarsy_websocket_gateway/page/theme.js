// Runs before anything is painted, as the one script that is no module: another theme never flashes.
// `stores/theme.js` writes what is read here.

try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the theme is that of the system.
}
