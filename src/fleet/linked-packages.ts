import { DIRECT, idsIn, type NamedLockfile } from './compact-lockfile.ts';

/** A package as paths through a lockfile need it. */
export interface LinkedPackage {
  readonly id: string;
  readonly direct: boolean | undefined;
  /** Its edges are given by position. */
  readonly dependencies: undefined;
}

/** The packages of a compact lockfile with the positions of their edges to others. */
export function linkedPackages({ rest, own }: NamedLockfile): {
  readonly packages: readonly LinkedPackage[];
  readonly edges: Pick<ReadonlyMap<number, readonly number[]>, 'get'>;
} {
  const idAt = idsIn(rest, own);
  return {
    packages: own.map((_, index) => ({
      id: idAt(index),
      direct: DIRECT[rest.direct[index] ?? '?'],
      dependencies: undefined,
    })),
    // A search asks for those of each package once.
    edges: {
      get: (index) =>
        (rest.dependencies[index] ?? []).flatMap((step) => (typeof step === 'string' ? [] : index + step)),
    },
  };
}
