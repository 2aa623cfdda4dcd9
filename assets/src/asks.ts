/** A form that has another service asked says so while that is under way, and is sent once. */
export function start(): void {
  addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.dataset.asks === undefined || event.submitter?.matches("[formnovalidate]")) return;
    const said = document.createElement("p");
    said.setAttribute("role", "status");
    said.className = "note asked";
    said.textContent = form.dataset.asks;
    [...form.querySelectorAll("button")].at(-1)?.after(said);
    setTimeout(() => mayAsk(form, false)); // a button that is off sends nothing of its own
  });
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return; // of a page that the browser kept, the answer is over
    for (const form of document.querySelectorAll<HTMLFormElement>("form[data-asks]")) {
      form.querySelector(".asked")?.remove();
      mayAsk(form, true);
    }
  });
}

function mayAsk(form: HTMLFormElement, may: boolean): void {
  for (const button of form.querySelectorAll("button")) button.disabled = !may;
}
