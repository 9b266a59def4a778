const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ['KB', 2 ** 10],
  ['MB', 2 ** 20],
  ['GB', 2 ** 30],
  ['TB', 2 ** 40],
]);

/** Bytes of a `maxSize`: `10GB`, `104857600`; `undefined` when it cannot be read. */
export function uploadLimit(maxSize: string | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?B)?$/i.exec((maxSize ?? '').trim());
  if (match === null) return undefined;
  const [, number = '', unit = ''] = match;
  return Number(number) * (UNITS.get(unit.toUpperCase()) ?? 1);
}

/** Whether a content type matches one of the media ranges; an empty list matches all. */
export function inMediaRanges(ranges: readonly string[], contentType: string): boolean {
  const [type = '', subtype = ''] = essence(contentType).split('/');
  return (
    ranges.length === 0 ||
    ranges.some((range) => {
      const [wantedType = '', wantedSubtype = ''] = essence(range).split('/');
      return (
        (wantedType === '*' || wantedType === type) && (wantedSubtype === '*' || wantedSubtype === subtype)
      );
    })
  );
}

function essence(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
