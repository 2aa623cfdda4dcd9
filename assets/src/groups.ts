// The figures of a page are many: the Tab key stops once at each group of them, and the arrow keys go from one to the
// next within it. Without this script it stops at each.

const figure = "main a.f, main .q[tabindex]";
const large = ".show, table, dl, .gate-cards"; // of which all figures are one group, however deep they are
const small = "summary, p, ul, details, section";

/** last is where the Tab key comes back to in its group. */
let last: HTMLElement | undefined;

function groupOf(f: Element): Element {
  return f.closest(large) ?? f.closest(small) ?? document.body;
}

/** stops says whether the Tab key stops at a figure. What is so already is not written: it would be styled anew. */
function stops(f: HTMLElement, whether: boolean): void {
  const index = whether ? 0 : -1;
  if (f.tabIndex !== index) f.tabIndex = index;
}

/** refresh makes the groups of what is in the page now: what comes from the server is reached one by one. A page of a
 * hundred performances has a thousand figures, so it is done when the Tab key is pressed and not with each frame. */
function refresh(): void {
  const first = new Map<Element, HTMLElement>();
  for (const f of document.querySelectorAll<HTMLElement>(figure)) {
    const group = groupOf(f);
    const stop = first.get(group);
    if (!stop || f === last) {
      first.set(group, f);
      stops(f, true);
      if (stop) stops(stop, false);
    } else stops(f, false);
  }
}

/** beside is the figure of a table in the next row that has one, in the same column or in the first. */
function beside(f: Element, step: number): HTMLElement | undefined {
  const cell = f.closest<HTMLTableCellElement>("td, th");
  const row = f.closest("tr");
  const rows = [...(f.closest("table")?.rows ?? [])];
  if (!cell || !row) return undefined;
  for (let i = rows.indexOf(row) + step; rows[i]; i += step) {
    const next = rows[i]?.cells[cell.cellIndex]?.querySelector<HTMLElement>(figure) ?? rows[i]?.querySelector<HTMLElement>(figure);
    if (next) return next;
  }
  return undefined;
}

function target(f: HTMLElement, key: string): HTMLElement | undefined {
  const all = [...groupOf(f).querySelectorAll<HTMLElement>(figure)].filter((o) => groupOf(o) === groupOf(f));
  const at = all.indexOf(f);
  switch (key) {
    case "ArrowDown":
    case "ArrowUp": {
      const step = key === "ArrowDown" ? 1 : -1;
      return f.closest("table") ? beside(f, step) : all[at + step];
    }
    case "ArrowRight":
      return all[at + 1];
    case "ArrowLeft":
      return all[at - 1];
    case "Home":
      return all[0];
    case "End":
      return all[all.length - 1];
  }
  return undefined;
}

/** start follows the keys. */
export function start(): void {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") refresh();
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.target instanceof HTMLElement) || !event.target.matches(figure)) return;
    const next = target(event.target, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  document.addEventListener("focusin", (event) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches(figure)) return;
    const group = groupOf(event.target);
    for (const f of group.querySelectorAll<HTMLElement>(figure)) if (groupOf(f) === group) stops(f, f === event.target);
    last = event.target;
  });
}
