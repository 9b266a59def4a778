import { signal } from '@preact/signals';

/** Increases when something happened: views then read again. */
export const changes = signal(0);

/** Whether events arrive. */
export const isLive = signal(false);

/** The server follows its store with a delay of up to a second, and of some seconds when it is busy. */
const DELAYS_MS = [1_200, 5_000];
/** What no event reports, such as a suppression, is read again this often. */
const REGULAR_MS = 30_000;
const RECONNECT_MS = 3_000;

/**
 * Follows the events of the server until the returned function is called. A hidden page holds no connection, because browsers allow
 * few for each server. After a short interruption the browser sends `Last-Event-ID` itself; after any other, everything is read again.
 */
export function followEvents(): () => void {
  let source: EventSource | undefined;
  const delayed = new Map<number, ReturnType<typeof setTimeout>>();
  let reconnecting: ReturnType<typeof setTimeout> | undefined;
  const announce = (): void => {
    for (const delay of DELAYS_MS) {
      if (delayed.has(delay)) continue;
      const timer = setTimeout(() => {
        delayed.delete(delay);
        changes.value += 1;
      }, delay);
      delayed.set(delay, timer);
    }
  };
  const close = (): void => {
    clearTimeout(reconnecting);
    source?.close();
    source = undefined;
    isLive.value = false;
  };
  const open = (): void => {
    close();
    const opened = new EventSource('/api/v1/events');
    source = opened;
    let wasOpen = false;
    opened.onopen = () => {
      isLive.value = true;
      if (wasOpen) announce();
      wasOpen = true;
    };
    for (const topic of ['changes', 'scans', 'deliveries']) opened.addEventListener(topic, announce);
    opened.onerror = () => {
      isLive.value = false;
      // The browser connects again by itself, except after an answer that is no stream.
      if (opened.readyState !== EventSource.CLOSED) return;
      clearTimeout(reconnecting);
      reconnecting = setTimeout(() => {
        open();
        announce();
      }, RECONNECT_MS);
    };
  };
  const onVisibility = (): void => {
    close();
    if (document.visibilityState === 'hidden') return;
    open();
    changes.value += 1;
  };
  const regular = setInterval(() => {
    if (document.visibilityState === 'visible') changes.value += 1;
  }, REGULAR_MS);
  document.addEventListener('visibilitychange', onVisibility);
  open();
  return () => {
    clearInterval(regular);
    for (const timer of delayed.values()) clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}
