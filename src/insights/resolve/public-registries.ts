import { InsightsError } from '../errors.ts';

/** Registries whose packages the index may hold: a domain, with a path where other content shares the domain. */
const PUBLIC_REGISTRIES = [
  ...['npmjs.org', 'npmjs.com', 'yarnpkg.com', 'npmmirror.com'],
  ...['pypi.org', 'pypi.python.org', 'pythonhosted.org'],
  ...['crates.io', 'github.com/rust-lang/crates.io-index'],
  ...['proxy.golang.org', 'sum.golang.org'],
  ...['rubygems.org'],
  ...['repo.maven.apache.org', 'maven.org', 'maven.google.com', 'dl.google.com/dl/android/maven2'],
  ...['plugins.gradle.org'],
  ...['nuget.org'],
];

interface Registry {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

/**
 * Returns a function that checks whether a registry URL belongs to a public registry or to one of the configured
 * mirrors (`host`, `host/path` or a URL, with subdomains). It returns `undefined` for a text that is not a URL with a
 * host.
 */
export function createRegistryCheck(mirrors: readonly string[]): (url: string) => boolean | undefined {
  const registries = [...PUBLIC_REGISTRIES, ...mirrors].map(readRegistry);
  return (text) => {
    const url = parseRegistryUrl(text);
    return url && registries.some((registry) => isAt(registry, url) && covers(registry, url));
  };
}

/** Cargo writes `registry+https://…` and `sparse+https://…`. */
export function parseRegistryUrl(text: string): URL | undefined {
  const url = URL.parse(text.replace(/^[a-z]+\+/, ''));
  return url === null || url.hostname === '' ? undefined : url;
}

function readRegistry(text: string): Registry {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null) throw new InsightsError('invalid', `${text} is neither a host nor a URL of a registry`);
  return { host: url.hostname, port: url.port, path: url.pathname.replace(/(?<!\/)\/+$/, '') };
}

function isAt({ host, port }: Registry, url: URL): boolean {
  if (port !== '' && port !== url.port) return false;
  return url.hostname === host || url.hostname.endsWith(`.${host}`);
}

function covers({ path }: Registry, url: URL): boolean {
  return path === '' || url.pathname === path || url.pathname.startsWith(`${path}/`);
}
