// What needs attention: says new alerts to screen readers, once each, and offers who looks after an alert to hand it
// back, and everybody else to join.

const second = 1000;
const pause = 5 * second; // between two announcements; what comes meanwhile is one
const spoken = 30 * second; // after which what was said is taken away: whoever reads it later would take it for now
const forgotten = 600 * second; // after which an alert that has passed may be announced again

const known = new Map<string, number>(); // alerts by id, and when each was last in the page
let waiting = new Set<string>(); // ids of those to be announced
let last = -pause; // when something was announced
let timer = 0;
let over = 0; // the timer of spoken

/** start takes the alerts that the page came with as known: it is read anyway. */
export function start(): void {
  for (const alert of alerts()) known.set(alert.id, performance.now());
  offer();
}

/** refresh looks for new alerts after the page has changed. An alert that a frame brings again is not new, whatever
 * became of the line meanwhile. */
export function refresh(): void {
  const now = performance.now();
  for (const alert of alerts()) {
    if (!known.has(alert.id)) waiting.add(alert.id);
    known.set(alert.id, now);
  }
  for (const [id, at] of known) if (now - at > forgotten) known.delete(id);
  offer();
  if (waiting.size > 0 && !timer) timer = setTimeout(announce, Math.max(0, last + pause - now));
}

function alerts(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("#attention [data-alert]")];
}

/** announce says what waits and still stands: one alert in its words, several as their number. */
function announce(): void {
  timer = 0;
  const fresh = alerts().filter((alert) => waiting.has(alert.id));
  waiting = new Set();
  const announcer = document.getElementById("announcer");
  if (!announcer || fresh.length === 0) return;
  last = performance.now();
  const text = fresh.length === 1 ? wordsOf(fresh[0]) : (announcer.dataset["many"] ?? "").replace("{n}", String(fresh.length));
  const loud = fresh.some((alert) => alert.dataset["alert"] === "bad");
  for (const region of announcer.children) {
    const says = (region.getAttribute("role") === "alert") === loud;
    region.replaceChildren(...(says ? [document.createTextNode(text)] : [])); // a new node, so that the same words are said again
  }
  clearTimeout(over);
  over = setTimeout(() => {
    for (const region of announcer.children) region.replaceChildren();
  }, spoken);
}

/** wordsOf is the text of an alert without its link and who is on it. */
function wordsOf(alert: HTMLElement | undefined): string {
  const text = alert?.querySelector("p")?.cloneNode(true) as HTMLElement | undefined;
  for (const aside of text?.querySelectorAll("a:not(.f, .q), small, .why") ?? []) aside.remove();
  return text?.textContent.replace(/\s+/g, " ").trim() ?? "";
}

/** offer shows of the two forms of an alert that somebody looks after the one that is of use to the reader. */
function offer(): void {
  const user = document.querySelector(".who .user")?.textContent.trim();
  for (const alert of document.querySelectorAll<HTMLElement>("#attention [data-by]")) {
    const mine = (JSON.parse(alert.dataset["by"] ?? "[]") as string[]).some((name) => name.trim() === user);
    for (const form of alert.querySelectorAll("form")) form.hidden = mine !== (form.querySelector("[name=undo]") !== null);
  }
}
