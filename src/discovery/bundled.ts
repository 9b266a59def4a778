import { readFile } from 'node:fs/promises';
import { packageFile } from '../files/package-file.ts';
import { parseDescription, type RestDescription } from './description/description.ts';

/** The documents that come with Lockhound, in `apis/`. */
export type BundledApi = 'insights.v3alpha' | 'webhooks.v1' | 'discovery.v1';

/** By the name of the API; each has one version. */
export const BUNDLED_APIS: ReadonlyMap<string, BundledApi> = new Map([
  ['insights', 'insights.v3alpha'],
  ['webhooks', 'webhooks.v1'],
  ['discovery', 'discovery.v1'],
]);

/** Reads a bundled description document. */
export async function readBundledDescription(api: BundledApi): Promise<RestDescription> {
  const file = packageFile(`apis/${api}.json`);
  return parseDescription(await readFile(file, 'utf8'), `apis/${api}.json`);
}
