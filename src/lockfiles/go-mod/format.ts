import type { Format } from '../format.ts';
import { readModules } from './modules.ts';

const NAME = 'go-mod';

/** Go's module file; below Go 1.17 together with go.sum, which alone names the indirect modules there. */
export const goMod: Format = {
  name: NAME,
  title: 'go.mod (with go.sum below Go 1.17)',
  ecosystem: 'golang',
  fileNames: ['go.mod'],
  facts: { edges: false, groups: false, integrity: true, lines: true },
  mayAskForNothing: true,
  companions: () => ['go.sum'],
  recognises: (head) =>
    (/^module\s+\S+/m.test(head) && /^(?:go\s+\d|require\b)/m.test(head)) ||
    /^require(?: \(\s+| )\S+\.\S+ v\d+\.\d+\.\d+/m.test(head),
  read: (input) => ({ format: NAME, ...readModules(input) }),
};
