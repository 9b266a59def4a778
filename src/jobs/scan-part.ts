/** Names one job of a scan that is split into parts. */
export interface ScanPart {
  readonly scan: string;
  readonly part: number;
}

/** The outcome key of a part. Children are keyed inside their scan: two scans never share one. */
export function partKey({ scan, part }: ScanPart): string {
  return `${scan}.${part}`;
}
