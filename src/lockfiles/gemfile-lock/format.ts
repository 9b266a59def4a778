import type { Format } from '../format.ts';
import { readGems } from './gems.ts';

const NAME = 'gemfile-lock';

/** Bundler's lockfile, under both of its names. */
export const gemfileLock: Format = {
  name: NAME,
  title: 'Gemfile.lock, gems.locked (Bundler 1 to 4)',
  ecosystem: 'gem',
  fileNames: ['Gemfile.lock', 'gems.locked', '*.gemfile.lock'],
  facts: { edges: true, groups: false, integrity: true, lines: true },
  recognises: (head) => /^(?:GEM|GIT|PATH|PLUGIN SOURCE)\r?\n {2}remote: /m.test(head),
  read: (input) => ({ format: NAME, ...readGems(input) }),
};
