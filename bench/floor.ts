import { buildPurl } from '../src/lockfiles/packages/purl.ts';

interface Floor {
  readonly name: string;
  readonly work: () => unknown;
}

const PNPM = /^ {2}['"]?\/?((?:@[^@/]+\/)?[^@\s'"]+)@([^(:'"]+)/gm;
const YARN = /^"?((?:@[^@/]+\/)?[^@\s"]+)@[^\n]*:\n {2}version:? "?([^"\n]+)/gm;

/** The minimum work of reading a file: parsing its JSON, or one linear pass that finds names and versions. */
export function floorOf(file: string, content: Buffer): readonly Floor[] {
  if (file === 'package-lock.json') {
    return [
      { name: 'JSON.parse', work: () => JSON.parse(content.toString()) },
      { name: 'JSON.parse and the set of purls', work: () => purlSet(JSON.parse(content.toString())) },
    ];
  }
  if (file === 'bun.lock') {
    const strict = (): string => content.toString().replace(/,(?=\s*[}\]])/g, '');
    return [{ name: 'JSON.parse without trailing commas', work: () => JSON.parse(strict()) }];
  }
  const pattern = file === 'pnpm-lock.yaml' ? PNPM : YARN;
  return [
    { name: 'one pass for names and versions', work: () => namesAndVersions(content.toString(), pattern) },
  ];
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
