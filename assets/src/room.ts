// How many characters a field has room for still. The browser would cut what is pasted and say
// nothing; with this, what is too long stays to be shortened, and is not sent.

/** start counts what is typed into the field that has a count beside it. */
export function start(): void {
  const said = document.getElementById("room");
  const field = document.querySelector<HTMLTextAreaElement>("[aria-describedby=room]");
  if (!said || !field) return;
  const most = field.maxLength;
  field.removeAttribute("maxlength");
  const count = () => {
    const left = most - [...field.value].length;
    const text = said.dataset[left < 0 ? "over" : "left"] ?? "";
    said.textContent = text.replace("{n}", String(Math.abs(left)));
    said.classList.toggle("fault", left < 0);
    field.setCustomValidity(left < 0 ? said.textContent : "");
  };
  field.addEventListener("input", count);
  count();
}
