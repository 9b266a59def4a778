import { InsightsModel } from '../src/embedded/insights/model.ts';
import { synthesizeData } from './synthetic-data.ts';

/** The n-th package of all benchmarks. */
export function cannedPackage(index: number): { readonly name: string; readonly version: string } {
  return { name: `package-${index}`, version: `${index % 9}.${index % 23}.0` };
}

/** The local service's answer of PurlLookupBatch for the first `count` packages, on one page. */
export function cannedBatch(count: number): string {
  const packages = Array.from({ length: count }, (_, index) => cannedPackage(index));
  const model = new InsightsModel(synthesizeData(packages));
  const responses = packages.map(({ name, version }) => {
    const found = model.version({ system: 'NPM', name, version }) ?? null;
    return { request: { purl: `pkg:npm/${name}@${version}` }, result: { version: found } };
  });
  return JSON.stringify({ responses, nextPageToken: '' });
}
