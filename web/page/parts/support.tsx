import type { Release } from '../../../src/model/api/lockhound-api.generated.ts';

/** Until when a release is judged; nothing for another target. */
export function Support({ release }: { readonly release: Release | undefined }) {
  if (release?.supportedUntil === undefined) return null;
  const { supportedUntil, supported } = release;
  return supported ? (
    <span class="mark">supported until {supportedUntil}</span>
  ) : (
    <span class="mark warn">not judged since {supportedUntil}</span>
  );
}
