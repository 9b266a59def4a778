import type { Detector } from './detector.ts';
import { predecessors, releaseAmong } from './versions.ts';
import { listOf } from './words.ts';

const OLD_MS = 30 * 24 * 3_600_000;
const MIN_PULLED = 2;

/**
 * The versions just before this one are deprecated or withdrawn although they are months old, and older ones are not: that urges
 * everyone to this version.
 */
export const pulledSiblings: Detector = {
  signal: 'pulled-siblings',
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
