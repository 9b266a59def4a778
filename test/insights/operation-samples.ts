import { expect } from 'vitest';
import * as operations from '../../src/insights/operations.ts';
import type { InsightsService } from '../../src/insights/service.ts';

/** A call of an operation, and an example that the local service answers. */
export interface OperationSample {
  /** Calls it through the client. */
  ask(service: InsightsService): Promise<unknown>;
  /** The request that `ask` sends. */
  readonly request: string;
  /** The example. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A part of the answer to the example. */
  readonly holds: object;
}

const CHAIN = 'sha256:11a3d18f1ec1cbcb3a5a3b0b0e4b8bd5f6a9bd6a54e1d8c9ac4ad7f7a0c3b2e1';
const signal = new AbortController().signal;
const name = { system: 'NPM', name: '@types/node' } as const;
const module = { system: 'GO', name: 'golang.org/x/net', version: '0.17.0' } as const;
const key = { ...name, version: '1.0.0' } as const;
const version = '/v3alpha/systems/NPM/packages/%40types%2Fnode/versions/1.0.0';

const npm = { 'versionKey.system': 'NPM', 'versionKey.name': 'express', 'versionKey.version': '4.17.1' };
const go = {
  'versionKey.system': 'GO',
  'versionKey.name': 'lantern.example/Shelf/labels',
  'versionKey.version': 'v1.2.0',
};
const named = { 'packageKey.system': 'NPM', 'packageKey.name': 'lodash' };
const project = { 'projectKey.id': 'github.com/example/shelf-labels' };

/** One sample of every operation, by the id of its method. */
export const OPERATION_SAMPLES: Readonly<Record<string, OperationSample>> = {
  'insights.getPackage': {
    ask: (service) => operations.getPackage(service, name, { signal }),
    request: 'GET /v3alpha/systems/NPM/packages/%40types%2Fnode',
    params: named,
    holds: { packageKey: { name: 'lodash' } },
  },
  'insights.getVersion': {
    ask: (service) => operations.getVersion(service, key, { signal }),
    request: `GET ${version}`,
    params: npm,
    holds: { versionKey: { version: '4.17.1' } },
  },
  'insights.getVersionBatch': {
    ask: (service) => operations.getVersionBatch(service, { requests: [{ versionKey: key }] }, { signal }),
    request: 'POST /v3alpha/versionbatch',
    body: { requests: [{ versionKey: { system: 'NPM', name: 'ms', version: '2.1.2' } }] },
    holds: { responses: [{ version: { purl: 'pkg:npm/ms@2.1.2' } }], nextPageToken: '' },
  },
  'insights.getRequirements': {
    ask: (service) => operations.getRequirements(service, key, { signal }),
    request: `GET ${version}:requirements`,
    params: npm,
    holds: { npm: { dependencies: { bundleDependencies: [] } } },
  },
  'insights.getDependencies': {
    ask: (service) => operations.getDependencies(service, key, { signal }),
    request: `GET ${version}:dependencies`,
    params: npm,
    holds: { nodes: expect.arrayContaining([]), error: '' },
  },
  'insights.getDependents': {
    ask: (service) => operations.getDependents(service, key, { signal }),
    request: `GET ${version}:dependents`,
    params: { ...npm, 'versionKey.name': 'ms', 'versionKey.version': '2.0.0' },
    holds: { dependentCount: expect.any(Number) },
  },
  'insights.getCapabilities': {
    ask: (service) => operations.getCapabilities(service, module, { signal }),
    request: 'GET /v3alpha/systems/GO/packages/golang.org%2Fx%2Fnet/versions/v0.17.0:capabilities',
    params: go,
    holds: { capabilities: [{ directCount: 3 }, { directCount: 0 }] },
  },
  'insights.getProject': {
    ask: (service) => operations.getProject(service, 'github.com/a/b', { signal }),
    request: 'GET /v3alpha/projects/github.com%2Fa%2Fb',
    params: project,
    holds: { starsCount: 1207, scorecard: { overallScore: 7.4 } },
  },
  'insights.getProjectBatch': {
    ask: (service) =>
      operations.getProjectBatch(
        service,
        { requests: [{ projectKey: { id: 'github.com/a/b' } }] },
        { signal },
      ),
    request: 'POST /v3alpha/projectbatch',
    body: {
      requests: [
        { projectKey: { id: 'github.com/lodash/lodash' } },
        { projectKey: { id: 'github.com/a/b' } },
      ],
    },
    holds: {
      responses: [{ project: { projectKey: { id: 'github.com/lodash/lodash' } } }, { request: {} }],
      nextPageToken: '',
    },
  },
  'insights.getProjectPackageVersions': {
    ask: (service) => operations.getProjectPackageVersions(service, 'github.com/a/b', { signal }),
    request: 'GET /v3alpha/projects/github.com%2Fa%2Fb:packageversions',
    params: project,
    holds: {
      versions: expect.arrayContaining([
        expect.objectContaining({ relationType: 'SOURCE_REPO', relationProvenance: 'SLSA_ATTESTATION' }),
      ]),
    },
  },
  'insights.getAdvisory': {
    ask: (service) => operations.getAdvisory(service, 'GHSA-aaaa-bbbb-cccc', { signal }),
    request: 'GET /v3alpha/advisories/GHSA-aaaa-bbbb-cccc',
    params: { 'advisoryKey.id': 'GHSA-35jh-r3h4-6jhm' },
    holds: { cvss3Score: 7.2 },
  },
  'insights.getSimilarlyNamedPackages': {
    ask: (service) => operations.getSimilarlyNamedPackages(service, name, { signal }),
    request: 'GET /v3alpha/systems/NPM/packages/%40types%2Fnode:similarlyNamedPackages',
    params: named,
    holds: { packages: [] },
  },
  'insights.query': {
    ask: (service) =>
      operations.query(service, { hash: { type: 'MD5', value: '+/v7+/v7+/v7+/v7+/v7+w==' } }, { signal }),
    request: 'GET /v3alpha/query?hash.type=MD5&hash.value=%2B%2Fv7%2B%2Fv7%2B%2Fv7%2B%2Fv7%2B%2Fv7%2Bw%3D%3D',
    params: npm,
    holds: { results: [{ version: { versionKey: { name: 'express' } } }] },
  },
  'insights.purlLookup': {
    ask: (service) => operations.purlLookup(service, 'pkg:npm/%40colors/colors@1.5.0', { signal }),
    request: 'GET /v3alpha/purl/pkg%3Anpm%2F%2540colors%2Fcolors%401.5.0',
    params: { purl: 'pkg:npm/%40types/node' },
    holds: { package: { packageKey: { name: '@types/node' } } },
  },
  'insights.purlLookupBatch': {
    ask: (service) =>
      operations.purlLookupBatch(service, { requests: [{ purl: 'pkg:npm/a@1.0.0' }] }, { signal }),
    request: 'POST /v3alpha/purlbatch',
    body: { requests: [{ purl: 'pkg:npm/ms@2.1.2' }, { purl: 'pkg:npm/ms@0.0.0' }] },
    holds: { responses: [{ result: { version: {} } }, { request: { purl: 'pkg:npm/ms@0.0.0' } }] },
  },
  'insights.queryContainerImages': {
    ask: (service) => operations.queryContainerImages(service, 'sha256:00', { signal }),
    request: 'GET /v3alpha/querycontainerimages/sha256%3A00',
    params: { chainId: CHAIN },
    holds: { results: [{ repository: 'lantern/shelf-labels' }, {}] },
  },
  'insights.getFindings': {
    ask: (service) => operations.getFindings(service, name, { signal }),
    request: 'GET /v3alpha/systems/NPM/packages/%40types%2Fnode:findings',
    params: { ...named, 'packageKey.name': '@made-up.example/attested-label' },
    holds: {
      packageFindings: [{ type: 'LOW_USAGE', lowUsageContext: { alternativePackages: [{}] } }, {}, {}],
    },
  },
  'insights.getVersionFindings': {
    ask: (service) => operations.getFindings(service, key, { signal }),
    request: `GET ${version}:findings`,
    params: { ...npm, 'versionKey.name': 'request', 'versionKey.version': '2.88.2' },
    holds: {
      versionKey: { name: 'request' },
      requestedVersion: { findings: [{ type: 'DEPRECATED', deprecatedContext: {} }] },
    },
  },
  'insights.getFindingsBatch': {
    ask: (service) => operations.getFindingsBatch(service, { requests: [{ packageKey: name }] }, { signal }),
    request: 'POST /v3alpha/findingsbatch',
    body: {
      requests: [
        { packageKey: { system: 'NPM', name: 'ms' } },
        { versionKey: { system: 'NPM', name: 'ms', version: '2.1.2' } },
      ],
    },
    holds: {
      responses: [
        { findings: { packageKey: { name: 'ms' } } },
        { findings: { versionKey: { version: '2.1.2' } } },
      ],
      nextPageToken: '',
    },
  },
};
