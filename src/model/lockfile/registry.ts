/** A place from which packages are installed. */
export interface Registry {
  readonly host: string;
  /** Empty: any. */
  readonly port: string;
  /** Empty: all of the host. */
  readonly path: string;
}

/** The registry that a setting names: `host`, `host/path` or an http or https URL. `undefined` for any other text. */
export function registryOf(text: string): Registry | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (/\s/.test(text) || url.username + url.password + url.search + url.hash !== '') return undefined;
  return { host: url.hostname, port: url.port, path: url.pathname.replace(/(?<!\/)\/+$/, '') };
}
