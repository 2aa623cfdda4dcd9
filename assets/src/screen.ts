// What a page does on a device that hangs, beside what every page does. Where all screens are,
// the server says what each shows; a device that is none yet shows a code.

const second = 1000;
const minute = 60 * second;

/** describe adds to a socket's address what the server asks of the device. */
export function describe(address: URL): void {
  if (!address.pathname.startsWith("/screen/")) return;
  const pixels = (length: number) => Math.round(length * devicePixelRatio);
  address.searchParams.set("size", `${pixels(innerWidth)}x${pixels(innerHeight)}`);
}

/** start does what a device does that shows a code. */
export function start(): void {
  if (!document.querySelector("main.pairing")) return;
  follow();
  countDown();
}

/** follow has the device become the screen whose secret its address holds. What it leads to does
 * not hold the secret, so that one which is no good is tried once. */
function follow(): void {
  if (location.hash.length < 2) return;
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/screen";
  const secret = document.createElement("input");
  secret.type = "hidden";
  secret.name = "secret";
  secret.value = location.hash.slice(1);
  form.append(secret);
  document.body.append(form);
  form.submit();
}

/** countDown says how long the code is still shown. */
function countDown(): void {
  const left = document.getElementById("left");
  const text = left?.dataset["minutes"];
  const shown = Number(left?.textContent?.match(/\d+/)?.[0]);
  if (!left || !text || !shown) return;
  setInterval(() => {
    const minutes = Math.max(1, Math.ceil(shown - performance.now() / minute));
    left.textContent = text.replace("{min}", String(minutes));
  }, 5 * second);
}
