import { addressOf } from '../routing/location.ts';

export function targetAddress(target: string): string {
  return addressOf('/target', { id: target });
}

/** The packages of a lockfile of a target. */
export function inventoryAddress(target: string, lockfile: string): string {
  return addressOf('/inventory', { target, lockfile });
}

/** A package of a lockfile with what needs it and what it needs; without a package, the direct dependencies. */
export function graphAddress(target: string, lockfile: string | undefined, id?: string): string {
  return addressOf('/graph', { target, lockfile, package: id });
}

/** What overrules the tools of a target. */
export function exceptionsAddress(target: string): string {
  return addressOf('/exceptions', { target });
}

export function scanAddress(scan: string): string {
  return addressOf('/scan', { id: scan });
}

export function findingAddress(target: string, fingerprint: string): string {
  return addressOf('/finding', { target, id: fingerprint });
}

/** An address from outside, where it leads to a web page; `undefined` for any other scheme, such as `javascript:`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}
