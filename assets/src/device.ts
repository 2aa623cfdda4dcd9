// The form with which this device gets notifications of alerts, with the page closed too. Without the script, or where
// the browser cannot, it is not shown.

/** start shows the form where this browser can be notified. */
export function start(): void {
  const form = document.querySelector<HTMLFormElement>("#device");
  if (!form || !("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void subscribe(form).then(
      (ok) => ok || refused(form),
      () => refused(form),
    );
  });
}

/** subscribe asks for the permission, and sends the server the address at the browser's service. */
async function subscribe(form: HTMLFormElement): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false;
  await navigator.serviceWorker.register(form.dataset["worker"] ?? "", { scope: form.dataset["scope"] ?? "" });
  const registration = await navigator.serviceWorker.ready;
  await (await registration.pushManager.getSubscription())?.unsubscribe(); // which may be by another key of the server
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: form.dataset["key"] ?? "" });
  form.querySelector<HTMLInputElement>("[name=device]")!.value = JSON.stringify(made);
  form.submit();
  return true;
}

function refused(form: HTMLFormElement): void {
  form.querySelector<HTMLElement>("[role=alert]")!.hidden = false;
}
