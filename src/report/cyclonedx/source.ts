import { defined } from '../../model/defined.ts';
import type { LockedPackage, Problem } from '../../model/lockfile/lockfile.ts';
import type { ScanComparison } from '../../model/review/scan-comparison.ts';
import type { Finding } from '../../model/scan/finding.ts';
import type { Resolution, UnreadLockfile } from '../../model/scan/inventory.ts';
import type { ScanReport } from '../../model/scan/verdict.ts';

/** Versions of the specification that are written. */
export const SPEC_VERSIONS = ['1.6', '1.7'] as const;
export type SpecVersion = (typeof SPEC_VERSIONS)[number];

/** The content of a BOM: packages as their lockfiles state them, with or without what a scan found out. */
export interface BomSource {
  /** Name of what the lockfiles belong to. */
  readonly name: string;
  /** RFC 3339. Absent when the BOM shall depend on its contents only. */
  readonly at?: string;
  readonly lockfiles: readonly BomLockfile[];
  readonly unread: readonly Pick<UnreadLockfile, 'path' | 'error'>[];
  readonly findings: readonly Finding[];
  /** Why `findings` does not have all of them, where it does not. */
  readonly cuts?: readonly string[];
  /** The comparison of the scan, when there is one. */
  readonly comparison?: ScanComparison;
}

export interface BomLockfile {
  readonly path: string;
  readonly format: string;
  /** Hex. */
  readonly sha256?: string;
  readonly packages: readonly BomPackage[];
  readonly problems: readonly Problem[];
}

export type BomPackage = Omit<LockedPackage, 'integrity' | 'source'> &
  Partial<Pick<LockedPackage, 'integrity' | 'source'>> & { readonly resolution?: Resolution };

/** The content of the BOM of a scan. */
export function sourceOfScan({ inventory, verdict, comparison }: ScanReport): BomSource {
  return {
    name: verdict.target.id,
    at: verdict.requestedAt,
    lockfiles: inventory.lockfiles,
    unread: inventory.unread,
    findings: verdict.findings,
    cuts: verdict.gaps.flatMap(({ kind, reason }) => (kind === 'cut' ? reason : [])),
    ...defined({ comparison }),
  };
}
