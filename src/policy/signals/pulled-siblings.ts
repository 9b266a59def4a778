import { type Detector, LIST, listOf, predecessors, releaseAmong } from './detector.ts';

const OLD_MS = 30 * 24 * 3_600_000;
const MIN_PULLED = 2;

export const pulledSiblings: Detector = {
  name: 'pulled-siblings',
  title: 'The versions just before the locked one were withdrawn',
  description: 'The versions just before this one were deprecated or withdrawn.',
  help: {
    means:
      'at least two versions just before this one, months old, are deprecated or withdrawn, which ' +
      'urges everyone to this version. Older ones are not: a package that deprecates everything old ' +
      'does not count.',
    sure: 'weak alone: licence trouble looks the same.',
    todo: 'find out why they were withdrawn, before you update.',
  },
  points: { '': 2 },
  reads: LIST,
  detect({ key, releases }) {
    const locked = releases.find(({ version }) => version === key.version);
    const before = predecessors(releases, key.version);
    if (locked?.publishedAt === undefined || locked.isDeprecated) return undefined;
    const { publishedAt } = locked;
    const firstKept = before.findLastIndex(({ isDeprecated }) => !isDeprecated);
    const all = releaseAmong(releases, key.version)?.before ?? [];
    // Who deprecates everything that is old gives the package up or cleans it up.
    if (all.every(({ isDeprecated }) => isDeprecated)) return undefined;
    const pulled = before.slice(firstKept + 1).filter((one) => publishedAt - one.publishedAt >= OLD_MS);
    if (pulled.length < MIN_PULLED) return undefined;
    const versions = listOf(
      pulled.map(({ version }) => version),
      6,
    );
    return { text: `appeared when the versions before it (${versions}) were deprecated or withdrawn` };
  },
};
