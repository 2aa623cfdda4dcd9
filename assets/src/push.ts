// The service worker of notifications: it shows what the server sends to this device, with every page closed, and opens
// where it leads.

interface Extendable extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface Pushed extends Extendable {
  readonly data: { json(): { title: string; body?: string; url: string; tag: string } } | null;
}
interface Clicked extends Extendable {
  readonly notification: Notification;
}
interface Worker {
  addEventListener(type: "push", listener: (event: Pushed) => void): void;
  addEventListener(type: "notificationclick", listener: (event: Clicked) => void): void;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { openWindow(address: string): Promise<unknown> };
}
const worker = self as unknown as Worker;
export {}; // so that its names are its own

worker.addEventListener("push", (event) => {
  const message = event.data?.json();
  if (!message) return;
  event.waitUntil(
    worker.registration.showNotification(message.title, { body: message.body ?? "", tag: message.tag, data: message.url, icon: "/favicon.ico", requireInteraction: true }),
  );
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(String(event.notification.data)));
});
