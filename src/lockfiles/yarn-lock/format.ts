import type { Format } from '../format.ts';
import { readBerry } from './berry/packages.ts';
import { readClassic } from './classic/packages.ts';
import { MANIFEST } from './manifest.ts';

const NAME = 'yarn-lock';

/** An entry of version 1, where the header was taken off. */
const ENTRY = /^"?@?[^\s@:"][^\n]*@[^\n]*:\r?\n {2}version "/m;

/** yarn's lockfile: its own syntax in version 1, YAML with `__metadata` from version 2 on. */
export const yarnLock: Format = {
  name: NAME,
  aliases: ['yarn-v1', 'yarn-berry'],
  title: 'yarn.lock (v1; berry with metadata version 2 to 10)',
  ecosystem: 'npm',
  fileNames: ['yarn.lock'],
  facts: { edges: true, groups: true, integrity: true, lines: true },
  mayBeEmpty: true,
  companions: () => [MANIFEST],
  recognises: (head) => head.includes('# yarn lockfile v1') || isBerry(head) || ENTRY.test(head),
  read: (input) => ({
    format: NAME,
    ...(isBerry(input.text) ? readBerry(input) : readClassic(input)),
  }),
};

function isBerry(text: string): boolean {
  if (text.slice(0, 200).includes('# yarn lockfile v1')) return false;
  return text.startsWith('__metadata:') || text.includes('\n__metadata:');
}
