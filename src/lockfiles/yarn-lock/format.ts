import type { Format } from '../format.ts';
import { readBerry } from './berry/packages.ts';
import { readClassic } from './classic/packages.ts';
import { MANIFEST } from './manifest.ts';

/** An entry of version 1, for files without the header. */
const ENTRY = /^"?@?[^\s@:"](?:(?!@).)*@.*:\r?\n {2}version "/m;

/** yarn's lockfile: its own syntax in version 1, YAML with `__metadata` since version 2. */
export const yarnLock: Format = {
  name: 'yarn-lock',
  aliases: ['yarn-v1', 'yarn-berry'],
  title: 'yarn.lock (v1; berry with metadata version 2 to 10)',
  ecosystem: 'npm',
  fileNames: ['yarn.lock'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  conditions: { groups: 'with package.json' },
  mayBeEmpty: false,
  readsInOnePass: true,
  companions: [MANIFEST],
  recognises: (head) => head.includes('# yarn lockfile v1') || isBerry(head) || ENTRY.test(head),
  read: (input, builder) => (isBerry(input.text) ? readBerry : readClassic)(input, builder),
};

/** Whether a yarn.lock is of version 2 or later. */
export function isBerry(text: string): boolean {
  if (text.slice(0, 200).includes('# yarn lockfile v1')) return false;
  return text.startsWith('__metadata:') || text.includes('\n__metadata:');
}
