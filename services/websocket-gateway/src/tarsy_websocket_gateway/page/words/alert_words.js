// How links of an alert are called: by what they are known for, or else by their own name.

/** @type {Record<string, string>} */
const LINKS = {
  runbook_url: "Runbook",
  runbook: "Runbook",
  generatorURL: "Prometheus",
  externalURL: "Alertmanager",
  dashboard_url: "Dashboard",
  dashboardURL: "Dashboard",
  panelURL: "Panel",
  silenceURL: "Silence",
};

/** @param {string} name */
export function linkWords(name) {
  if (Object.hasOwn(LINKS, name)) return String(LINKS[name]);
  return name === "" ? "Link" : name.replaceAll("_", " ");
}
