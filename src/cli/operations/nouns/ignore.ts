import type { Suppression } from '../../../model/scan/suppression.ts';
import { FILE_TEXT, type Noun } from '../noun.ts';

export const NOUN: Noun = {
  resource: 'suppressions',
  verbs: {
    list: { items: 'suppressions' },
    add: {},
    import: {
      args: ['path'],
      each: 'path',
      items: 'documents',
      body: FILE_TEXT,
    },
    remove: {
      each: 'suppression',
      items: 'suppressions',
      text: ({ suppressions }: { readonly suppressions: readonly Suppression[] }) =>
        suppressions.map(({ id }) => `Removed: ${id}\n`).join(''),
    },
  },
  examples: `
Examples:
  lockhound ignore add --advisory CVE-2021-23337 --package 'pkg:npm/lodash@<4.17.21' --reason 'not reachable' --expires 90d
  lockhound ignore add --rule deprecated --label team=legacy --all --reason 'is replaced in spring' --expires 2027-03-31
  lockhound ignore import shop.openvex.json   what a VEX document says is not affected
  lockhound ignore                            what each suppresses, and what has no effect
  lockhound ignore remove 3f2a9c01

Workers judge all targets again within about a minute. docs/suppressions.md describes scope and effect.
Exit codes: 0 done, 2 an error or no such suppression.`,
};
