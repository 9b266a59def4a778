import { signal } from '@preact/signals';

/** The view and its parameters, as the address bar shows them. */
export interface Place {
  readonly path: string;
  readonly params: URLSearchParams;
}

export const place = signal<Place>(currentPlace());

function currentPlace(): Place {
  const params = new URLSearchParams(location.search);
  const [, view = '', named = ''] = /^\/(targets|findings|issues)\/(.+)$/.exec(location.pathname) ?? [];
  if (named === '') return { path: location.pathname, params };
  // An address as people write it: `/targets/shop`, `/findings/lodash`. The address bar then shows that of the view.
  params.set(view === 'targets' ? 'id' : 'search', decoded(named));
  const path = view === 'targets' ? '/target' : `/${view}`;
  history.replaceState(null, '', `${path}?${params}`);
  return { path, params };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `/findings?severity=high`: an address with those parameters that have a value. */
export function addressOf(
  path: string,
  params: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== '' && one !== false) query.append(name, String(one));
    }
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Shows another view. `replace`: without an entry in the history, for filters while they are typed. */
export function goTo(address: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  place.value = currentPlace();
}

/** Follows links and the history of the browser without loading the document again. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = currentPlace();
  });
  document.addEventListener('click', (event) => {
    const isPlain =
      event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!isPlain || link === null || link.origin !== location.origin || link.target !== '') return;
    if (link.hasAttribute('data-skip')) return;
    event.preventDefault();
    goTo(link.pathname + link.search);
    scrollTo(0, 0);
  });
}
