// Where a figure comes from: a link to its explanation. Here it is told in a line while the figure is
// pointed at, and in full in a panel beside the page. Without this script the link leads there.

const rest = 250; // ms that a pointer stays before a line is asked for
const fresh = 15_000; // ms for which an explanation is told again without being asked for
const again = 5_000; // ms between two renewals of the open panel

const told = new Map<string, { at: number; html: Promise<HTMLElement | undefined> }>();

let renew = (): void => undefined;

/** refresh is to be called once fragments are in the page. */
export function refresh(): void {
  renew();
}

/** fetched is the explanation at an address; undefined where there is none to be had here. */
function fetched(href: string, newer = false): Promise<HTMLElement | undefined> {
  const last = told.get(href);
  if (last && !newer && Date.now() - last.at < fresh) return last.html;
  const html = fetch(href)
    .then(async (answer) => {
      if (!answer.ok || answer.redirected) return undefined;
      return new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("explanation") ?? undefined;
    })
    .catch(() => undefined);
  if (told.size > 100) told.clear();
  told.set(href, { at: Date.now(), html });
  return html;
}

/** start does nothing on pages whose figures lead nowhere. */
export function start(): void {
  const panel = document.getElementById("panel");
  const content = panel?.querySelector<HTMLElement>("div");
  const close = panel?.querySelector("button");
  const hint = document.getElementById("hint");
  if (!panel || !content || !close || !hint) return;

  let open = ""; // the address of what the panel explains
  let figure = ""; // that of the figure in the page which led there
  let shown = ""; // the figure as it was then
  let asked = 0;
  let timer = 0;
  let pointed: HTMLAnchorElement | undefined;

  const figures = (href: string) => [...document.querySelectorAll<HTMLAnchorElement>("main a.f")].filter((a) => a.getAttribute("href") === href);

  /** tint marks the figure that is explained; fragments that come lose the mark. */
  const tint = () => {
    for (const a of document.querySelectorAll("main a.f[aria-expanded]")) if (a.getAttribute("href") !== figure) a.removeAttribute("aria-expanded");
    if (figure) for (const a of figures(figure)) a.setAttribute("aria-expanded", "true");
  };

  async function show(href: string, newer: boolean): Promise<void> {
    open = href;
    asked = Date.now();
    const explanation = await fetched(href, newer);
    if (open !== href) return;
    if (!explanation) {
      if (!newer) location.assign(href);
      return;
    }
    const wasHidden = panel!.hidden;
    const within = content!.contains(document.activeElement);
    const at = panel!.scrollTop;
    content!.replaceChildren(explanation.cloneNode(true));
    panel!.hidden = false;
    document.documentElement.classList.add("explaining");
    panel!.scrollTop = newer ? at : 0;
    if (!newer && (wasHidden || within)) content!.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }

  function shut(): void {
    if (panel!.hidden) return;
    const back = figures(figure)[0];
    open = figure = "";
    panel!.hidden = true;
    document.documentElement.classList.remove("explaining");
    tint();
    back?.focus({ preventScroll: true });
  }

  function forget(): void {
    clearTimeout(timer);
    pointed?.removeAttribute("aria-describedby");
    pointed = undefined;
    hint!.hidden = true;
  }

  /** point tells the figure in a line, after a moment. */
  function point(a: HTMLAnchorElement): void {
    if (a === pointed) return;
    forget();
    pointed = a;
    timer = setTimeout(async () => {
      const explanation = await fetched(a.getAttribute("href") ?? "");
      if (pointed !== a || !a.isConnected || !explanation) return;
      const parts = [explanation.querySelector(".line") ?? explanation.querySelector(".what"), explanation.querySelector(".reasons"), explanation.querySelector(".as-of")];
      const enter = document.createElement("p");
      const key = document.createElement("kbd");
      key.textContent = "Enter";
      enter.append(key, ` ${hint!.dataset["enter"] ?? ""}`);
      hint!.replaceChildren(...parts.flatMap((p) => (p ? [p.cloneNode(true)] : [])), enter);
      hint!.hidden = false;
      const box = a.getBoundingClientRect();
      const room = document.documentElement.clientWidth;
      const below = box.bottom + 10 + hint!.offsetHeight <= innerHeight || box.top < hint!.offsetHeight + 10;
      hint!.style.left = `${Math.max(8, Math.min(box.left, room - hint!.offsetWidth - 8))}px`;
      hint!.style.top = `${below ? box.bottom + 10 : box.top - 10 - hint!.offsetHeight}px`;
      a.setAttribute("aria-describedby", "hint");
    }, rest);
  }

  const figureAt = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLAnchorElement>("main a.f") : null);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const a = figureAt(event.target);
    if (a) point(a);
    else if (pointed !== document.activeElement) forget();
  });
  document.addEventListener("focusin", (event) => {
    const a = figureAt(event.target);
    if (a?.matches(":focus-visible")) point(a);
    else forget();
  });
  addEventListener("scroll", forget, { passive: true });

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0 || !(event.target instanceof Element)) return;
    const a = event.target.closest<HTMLAnchorElement>("main a.f, #panel a[href^='/explain/']");
    const href = a?.getAttribute("href");
    if (!a || !href) return;
    event.preventDefault();
    forget();
    if (a.matches("main a.f")) {
      figure = href;
      shown = a.textContent;
      tint();
    }
    void show(href, false);
  });
  close.addEventListener("click", shut);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (hint.hidden) shut();
    else forget();
  });

  // What the panel explains is renewed when its figure is.
  renew = () => {
    if (pointed && !pointed.isConnected) forget();
    if (!figure) return;
    tint();
    const now = figures(figure)[0]?.textContent;
    if (now === undefined || now === shown || Date.now() - asked < again) return;
    shown = now;
    told.clear();
    void show(open, true);
  };
}
