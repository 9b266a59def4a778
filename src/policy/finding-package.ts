import type { Finding } from '../model/scan/finding.ts';
import type { PlacedPackage } from './placed-packages.ts';

/** The package of a finding, as evidence. */
export function findingPackage({ locked, direct, groups }: PlacedPackage): Finding['package'] {
  const { ecosystem, name, version, purl } = locked;
  return { ecosystem, name, version, purl, direct, groups };
}
