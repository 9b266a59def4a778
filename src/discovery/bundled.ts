import { readFileSync } from 'node:fs';
import { packageFile } from '../files/package-file.ts';
import { parseDescription, type RestDescription } from './description/description.ts';

/** The documents that come with Lockhound, in `apis/`. */
export type BundledApi = 'insights.v3alpha' | 'webhooks.v1' | 'discovery.v1' | 'lockhound.v1';

/** The bundled APIs by name; each has one version. */
export const BUNDLED_APIS: ReadonlyMap<string, BundledApi> = new Map([
  ['insights', 'insights.v3alpha'],
  ['webhooks', 'webhooks.v1'],
  ['discovery', 'discovery.v1'],
  ['lockhound', 'lockhound.v1'],
]);

const read = new Map<BundledApi, Promise<RestDescription>>();

/** Reads a bundled description document, once. It is read synchronously: Node's asynchronous `readFile` takes longer to load. */
export function readBundledDescription(api: BundledApi): Promise<RestDescription> {
  const known = read.get(api) ?? parseBundled(`apis/${api}.json`);
  read.set(api, known);
  return known;
}

async function parseBundled(path: string): Promise<RestDescription> {
  return parseDescription(readFileSync(packageFile(path), 'utf8'), path);
}
