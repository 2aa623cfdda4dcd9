// What a reader copies with one tap: the value of a field.

const shown = 2000; // how long, in milliseconds, a button says that it was done

/** start has buttons copy the field that they name. */
export function start(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("[data-copies]");
    const field = document.getElementById(button?.dataset["copies"] ?? "");
    if (button && field instanceof HTMLInputElement) void copy(field, button);
  });
}

async function copy(field: HTMLInputElement, button: HTMLButtonElement): Promise<void> {
  field.select(); // so that it can be copied by hand, too, where the browser allows no more
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    return;
  }
  const text = button.textContent;
  button.textContent = button.dataset["done"] ?? text;
  setTimeout(() => (button.textContent = text), shown);
}
