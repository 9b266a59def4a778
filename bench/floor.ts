import { buildPurl } from '../src/lockfiles/packages/purl.ts';

interface Floor {
  readonly name: string;
  readonly work: () => unknown;
}

const PNPM = /^ {2}['"]?\/?((?:@[^@/]+\/)?[^@\s'"]+)@([^(:'"]+)/gm;
const YARN = /^"?((?:@[^@/]+\/)?[^@\s"]+)@[^\n]*:\n {2}version:? "?([^"\n]+)/gm;

interface Floors {
  readonly floor: Floor;
  /** Work that does less than is needed. */
  readonly others: readonly (Floor & { readonly floor: string })[];
}

/** The minimum work of reading a file: parsing its JSON, or one linear pass that finds names and versions. */
export function floorsOf(file: string, content: Buffer): Floors {
  if (file === 'package-lock.json') {
    const name = 'JSON.parse and the set of purls';
    const floor = { name, work: () => purlSet(JSON.parse(content.toString())) };
    return {
      floor,
      others: [{ name: 'JSON.parse', floor: name, work: () => JSON.parse(content.toString()) }],
    };
  }
  if (file.endsWith('.json')) {
    return { floor: { name: 'JSON.parse', work: () => JSON.parse(content.toString()) }, others: [] };
  }
  if (file === 'bun.lock') {
    const strict = (): string => content.toString().replace(/,(?=\s*[}\]])/g, '');
    const name = 'JSON.parse without trailing commas';
    return { floor: { name, work: () => JSON.parse(strict()) }, others: [] };
  }
  const pattern = file === 'pnpm-lock.yaml' ? PNPM : YARN;
  const name = 'one pass for names and versions';
  return {
    floor: { name, work: () => namesAndVersions(content.toString(), pattern) },
    others: [],
  };
}

function namesAndVersions(text: string, pattern: RegExp): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, name, version] of text.matchAll(pattern)) found.add(`${name}@${version}`);
  return found;
}

function purlSet(root: {
  packages?: Record<string, { version?: string; name?: string }>;
}): ReadonlySet<string> {
  const purls = new Set<string>();
  for (const [path, { version = '', name }] of Object.entries(root.packages ?? {})) {
    const full = name ?? path.slice(path.lastIndexOf('node_modules/') + 13);
    if (path === '' || version === '') continue;
    const slash = full.startsWith('@') ? full.indexOf('/') : -1;
    const namespace = slash < 0 ? undefined : full.slice(0, slash);
    purls.add(buildPurl({ type: 'npm', namespace, name: full.slice(slash + 1), version }));
  }
  return purls;
}
