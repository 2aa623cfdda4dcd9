// The page Events: what is typed or chosen is searched for at once, and keys lead to the search
// and through what was found. Without this script it is a form and links.

const pause = 150; // ms without a key before what was typed is searched for
const spread = 10_000; // ms over which the open pages ask anew after a minute, not all at once

/** start does nothing on other pages. replace puts a fragment in the place of the one it renews. */
export function start(replace: (id: string, html: string) => void): void {
  const form = document.querySelector<HTMLFormElement>("form.finder");
  const search = form?.querySelector<HTMLInputElement>("[name=q]");
  const clock = document.getElementById("clock");
  if (!form || !search || !clock) return;

  let asked = location.href; // the last address wanted, which may not have been found yet
  let typed = 0; // the timer of what is to be searched for; 0 when nothing is
  let renewal = 0;
  let running: AbortController | undefined;
  let stale = false; // a minute has passed unseen

  /** find fetches what the address asked for finds, and makes it this page's address. */
  async function find(): Promise<void> {
    const address = asked;
    running?.abort();
    running = new AbortController();
    try {
      const answer = await fetch(address, { signal: running.signal });
      const html = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("found")?.outerHTML;
      if (answer.ok && !answer.redirected && html) {
        history.replaceState(null, "", address);
        replace("found", html);
      } else if (answer.status < 500) {
        location.assign(address); // signed out, or an address that the server says what is wrong with
      }
    } catch {
      // A later search has taken over, or the line is lost; the page says so.
    }
  }

  /** ask asks for what the form says. */
  function ask(): void {
    clearTimeout(typed);
    typed = 0;
    if (!form?.checkValidity()) return; // half a date
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string" && value.trim()) query.set(name, value.trim());
    asked = form.action + (query.size ? `?${query}` : "");
    void find();
  }

  form.addEventListener("input", (event) => {
    clearTimeout(typed);
    typed = setTimeout(ask, event.target instanceof HTMLSelectElement ? 0 : pause);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });

  // What was found is of a minute, and is found anew with each; what is being typed soon is anyway.
  const renew = () => {
    stale = document.visibilityState === "hidden";
    if (!stale && !typed) void find();
  };
  const minute = () => {
    clearTimeout(renewal);
    renewal = setTimeout(renew, Math.random() * spread);
  };
  new MutationObserver(minute).observe(clock, { childList: true, characterData: true, subtree: true });
  document.addEventListener("visibilitychange", () => {
    if (stale) renew();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = event.target instanceof Element ? event.target : document.body;
    const typing = at.matches("input, select, textarea");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "/" && !typing) {
      search.focus();
      search.select();
    } else if (event.key === "Escape" && (at === search || !typing)) {
      search.focus();
      if (search.value === "") return;
      search.value = "";
      ask();
    } else if (step && (at === search || !typing)) {
      choose(step);
    } else {
      return;
    }
    event.preventDefault();
  });

  /** choose goes one row down or up, and above the first to the search. */
  function choose(step: number): void {
    const rows = [...document.querySelectorAll<HTMLElement>("#found th a[id]")];
    const i = rows.findIndex((row) => row === document.activeElement) + step;
    if (i < 0 && search !== document.activeElement) search?.focus();
    else rows[Math.min(i, rows.length - 1)]?.focus();
  }
}
